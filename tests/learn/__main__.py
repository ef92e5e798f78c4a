"""`make learn`: teach everything at full size, and write figures and picture beside the chapter."""

import argparse
import json
from collections.abc import Mapping

import torch

from tests.learn.aligned import aligned
from tests.learn.figure import drawn
from tests.learn.generated import SPECS
from tests.learn.lessons import figures
from tests.learn.sizes import FULL, SMALL

KINDS = ("fixed", "attention", "transformer")
PAIR = {"few/attention": "4 symbols, s_0 = 0", "few/projected": "4 symbols, projected s_0"}
FILE = SPECS / "learned.json"


def main() -> None:
    """Writes specs/history/learned.json, lesson by lesson, and learned.svg."""
    parser = argparse.ArgumentParser(prog="python -m tests.learn", description=main.__doc__)
    parser.add_argument(
        "--small", action="store_true", help="the sizes of the tests, printed and not written"
    )
    parser.add_argument(
        "--only", metavar="LESSON", default="", help=f"what begins one of {', '.join(FULL)}"
    )
    given = parser.parse_args()
    torch.set_num_threads(1)
    for name, lesson in (SMALL if given.small else FULL).items():
        if not name.startswith(given.only):
            continue
        found = figures(lesson)
        if given.small:
            print(name, json.dumps(found))
        else:
            written({**kept(), name: found})


def kept() -> dict[str, object]:
    """What the file holds already, of lessons that there still are."""
    known = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else {}
    return {name: known[name] for name in FULL if name in known}


def written(found: Mapping[str, object]) -> None:
    """The figures as JSON with a line a lesson, and what is drawn from them."""
    lines = [f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found)]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    FILE.write_text(text, encoding="utf-8")
    if all(f"reverse/{kind}" in found for kind in KINDS):
        (SPECS / "learned.svg").write_text(picture(text), encoding="utf-8")
    if all(name in found for name in PAIR):
        (SPECS / "aligned.svg").write_text(alignments(text), encoding="utf-8")


def alignments(text: str) -> str:
    """The maps of such a JSON text: one that lies on the source, and one that does not."""
    found = json.loads(text)
    return aligned({title: found[name]["example"] for name, title in PAIR.items()})


def picture(text: str) -> str:
    """The picture of such a JSON text."""
    found = json.loads(text)
    runs = {kind: found[f"reverse/{kind}"] for kind in KINDS}
    curves = {kind: {int(n): e for n, e in run["exact"].items()} for kind, run in runs.items()}
    return drawn(curves, runs["attention"]["longest_trained"])


if __name__ == "__main__":
    main()
