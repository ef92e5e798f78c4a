"""From a checkpoint to a model by every route: the process, its peak, and the work alone."""

import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tests.bench.peers.models import checkpoint, emit
from tests.bench.peers.verdict import Bar
from tests.bench.process import Measured
from tests.bench.rounds import interleaved, median

ROUTES: Final = ("archc", "genai", "mobius", "dynamo")
HELD: Final = ("genai", "dynamo")
"""Those that the bar of emission names."""


@dataclass(frozen=True)
class Emitted:
    """One emission: the process, and `own` seconds of the work once all imports are made."""

    process: Measured
    own: float


Emissions = Mapping[str, Sequence[Emitted]]


def emission(
    folder: Path, size: str, precision: str, rounds: int, without: Collection[str]
) -> dict[str, list[Emitted]]:
    """Everyone by turns, each in two processes: a fresh one, and one that has emitted before."""
    given, tiny = checkpoint(folder, size), checkpoint(folder, "tiny")
    routes = ROUTES if precision == "fp32" else ("archc", "genai")
    who = {
        route: partial(_once, route, given, tiny, folder, precision)
        for route in routes
        if route not in without
    }
    return interleaved(who, rounds)


def _once(route: str, given: Path, tiny: Path, folder: Path, precision: str) -> Emitted:
    out = folder / "emitted"
    alone, _ = emit(route, given, out, precision)
    shutil.rmtree(out)
    _, said = emit(route, given, out, precision, tiny)
    shutil.rmtree(out)
    return Emitted(alone, said["seconds"])


def row(about: str, found: Sequence[Emitted]) -> tuple[str, ...]:
    """Medians: the process, the work alone, the peak."""
    seconds, peak = process(found), peak_mb(found)
    return (about, f"{seconds:.2f}", f"{own(found):.3f}", f"{peak:.0f}")


def in_place(size: str, found: Emissions) -> list[Bar]:
    """The bars of models whose weights stay where they are."""
    ours = found["archc"]
    bars = [
        Bar(f"emission of {size}: own seconds", own(ours), most=0.5),
        Bar(f"emission of {size}: peak, MB", peak_mb(ours), most=200),
    ]
    bars += [
        Bar(f"emission of {size}: {each} / archc, own seconds", own(found[each]) / own(ours), 15)
        for each in HELD
        if each in found
    ]
    return bars


def rounded(size: str, found: Emissions) -> list[Bar]:
    """The bars of int4."""
    ours, theirs = found["archc"], found["genai"]
    about = f"int4 of {size}: genai / archc"
    return [
        Bar(f"{about}, process seconds", process(theirs) / process(ours), 2),
        Bar(f"{about}, peak", peak_mb(theirs) / peak_mb(ours), 8),
    ]


def _median(what: Callable[[Emitted], float]) -> Callable[[Sequence[Emitted]], float]:
    return lambda found: median(found, what)


own = _median(lambda each: each.own)
process = _median(lambda each: each.process.seconds)
peak_mb = _median(lambda each: each.process.peak_bytes / 1e6)
