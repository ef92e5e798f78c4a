"""Built models in ONNX Runtime by turns, each time in a fresh process, and transformers beside."""

import json
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from compiler.runtime.bench.job import Job, start
from tests.bench.peers.emission import ROUTES
from tests.bench.peers.models import checkpoint, emit, folder_of, run
from tests.bench.peers.products import KINDS, SHAPES
from tests.bench.peers.verdict import Bar
from tests.bench.rounds import interleaved, median

CONTEXT: Final = 512
EAGER: Final = "transformers eager"
DECODERS: Final = {
    **{route: (route, "fp32") for route in ROUTES},
    "archc int4": ("archc", "int4"),
    "genai int4": ("genai", "int4"),
    "archc int8": ("archc", "int8"),
    "archc int8:column": ("archc", "int8:column"),
}
"""Models by what they are called in the table: the route and the precision."""
ENCODERS: Final = {
    **{route: (route, "fp32") for route in ROUTES if route != "genai"},
    "archc int8": ("archc", "int8"),
    "archc int8:128": ("archc", "int8:128"),
}
INT8: Final = "archc int8"
"""What is held to the bar of an encoder: it is fast and exact at once."""
Found = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Effort:
    """How much is run: processes of each, runs and steps within one, threads, and without whom."""

    processes: int
    repeat: int
    steps: int
    threads: int
    without: Collection[str] = ()


def decoders(folder: Path, effort: Effort) -> dict[str, list[dict[str, Any]]]:
    """Prefill of 512 and the steps after it of the 125M Llama."""
    who = _made(folder, "125M", DECODERS, CONTEXT, effort)
    given = str(checkpoint(folder, "125M"))
    job = Job(given, 1, CONTEXT, effort.steps, effort.repeat, effort.threads)
    eager = partial(run, "tests.bench.peers.eager", said=json.dumps(asdict(job)))
    return interleaved({**who, EAGER: lambda: json.loads(eager())}, effort.processes, warm=False)


def encoders(folder: Path, name: str, effort: Effort) -> dict[str, list[dict[str, Any]]]:
    """Whole inputs of `bert` at 128 or of `vit`."""
    who = _made(folder, name, ENCODERS, 128, effort)
    return interleaved(who, effort.processes, warm=False)


def products(effort: Effort) -> dict[str, dict[str, list[float]]]:
    """Seconds of the matrix products alone, by shapes and by kind of numbers."""

    def once(name: str, kind: str) -> float:
        said = run("tests.bench.peers.products", name, kind, str(effort.threads))
        return float(json.loads(said)["seconds"])

    return {
        name: interleaved(
            {kind: partial(once, name, kind) for kind in KINDS}, effort.processes, warm=False
        )
        for name in SHAPES
    }


def _made(
    folder: Path, name: str, models: Mapping[str, tuple[str, str]], length: int, effort: Effort
) -> dict[str, Callable[[], dict[str, Any]]]:
    """What times each model, ours made anew."""
    given = checkpoint(folder, name)
    who: dict[str, Callable[[], dict[str, Any]]] = {}
    wanted = {said: how for said, how in models.items() if how[0] not in effort.without}
    for said, (route, precision) in wanted.items():
        out = folder / "models" / name / said
        if route == "archc" or not out.exists():
            making = out.with_name("making")
            for old in (making, out):
                shutil.rmtree(old, ignore_errors=True)
            emit(route, given, making, precision)
            making.rename(out)
        sizes = (1, length, effort.steps, effort.repeat, effort.threads)
        who[said] = partial(start, Job(str(folder_of(out)), *sizes))
    return who


def seconds(found: Found, who: str, part: str) -> float:
    """The median over processes of each one's median."""
    return median(found[who], lambda each: each[part]["p50_seconds"])


def best(found: Found, part: str, among: Sequence[str]) -> float:
    """The fastest of those that are there."""
    return min(seconds(found, who, part) for who in among if who in found)


def rows(found: Found, part: str) -> list[tuple[str, ...]]:
    """Milliseconds of everyone that has this part, and how many times the fastest float it is."""
    least = best(found, part, ROUTES)
    return [
        (
            who,
            f"{1e3 * seconds(found, who, part):.1f}",
            f"{min(1e3 * each[part]['p50_seconds'] for each in found[who]):.1f}",
            f"{least / seconds(found, who, part):.2f}",
        )
        for who in found
    ]


def decoding(found: Found) -> list[Bar]:
    """The bars of the decoder."""
    step, prefill = partial(seconds, found, part="decode"), partial(seconds, found, part="prefill")
    others = best(found, "decode", ROUTES[1:])
    ints = min(prefill("archc int8"), prefill("archc int8:column"))
    return [
        Bar("decode fp32: archc / best of the others", step("archc") / others, most=1.1),
        Bar("decode fp32: transformers eager / archc", step(EAGER) / step("archc"), 2.3),
        Bar("decode int4: genai / archc", step("genai int4") / step("archc int4"), 1.2),
        Bar("prefill int8: best fp32 / archc", best(found, "prefill", ROUTES) / ints, 2),
    ]


def encoding(about: str, found: Found) -> list[Bar]:
    """The bar of an encoder; cosines are held by `tests/real`."""
    ratio = best(found, "forward", ROUTES[1:]) / seconds(found, INT8, "forward")
    return [Bar(f"{about}: best fp32 of the others / archc int8", ratio, 2.5)]


def bound(found: Mapping[str, Mapping[str, Sequence[float]]]) -> list[tuple[str, ...]]:
    """Milliseconds of products in fp32, and how many times faster each kind of integers is."""
    made = []
    for name, kinds in found.items():
        typical = {kind: median(each, float) for kind, each in kinds.items()}
        floats = typical.pop("fp32")
        ratios = [f"{floats / each:.2f}" for each in typical.values()]
        made.append((name, f"{1e3 * floats:.1f}", *ratios))
    return made
