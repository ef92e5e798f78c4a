"""`make learn`: teach everything at full size, and write figures and picture beside the chapter."""

import argparse
import json

import torch

from tests.learn.figure import drawn
from tests.learn.generated import SPECS
from tests.learn.lessons import figures
from tests.learn.sizes import FULL, SMALL


def main() -> None:
    """Writes specs/history/learned.json and learned.svg."""
    parser = argparse.ArgumentParser(prog="python -m tests.learn", description=main.__doc__)
    parser.add_argument("--small", action="store_true", help="the sizes of the tests; minutes")
    small = parser.parse_args().small
    if small:
        torch.set_num_threads(1)
    found = {"sizes": "small" if small else "full", **figures(SMALL if small else FULL)}
    written(found)


def written(found: dict[str, object]) -> None:
    """The figures as JSON, and the curves of the reversal as a picture."""
    text = json.dumps(found, indent=2, sort_keys=True) + "\n"
    (SPECS / "learned.json").write_text(text, encoding="utf-8")
    (SPECS / "learned.svg").write_text(picture(text), encoding="utf-8")


def picture(text: str) -> str:
    """The picture of such a JSON text."""
    curves = json.loads(text)["reverse"]
    kinds = ("fixed", "attention", "transformer")
    shares = {kind: {int(n): e for n, e in curves[kind]["exact"].items()} for kind in kinds}
    return drawn(shares, curves["attention"]["longest_trained"])


if __name__ == "__main__":
    main()
