"""What fits into the memory of a device: the largest batch and the greatest length."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, total, value
from compiler.passes.metrics import exact
from compiler.report.costs import CostReport

MOST: Final = 2**40
"""Where the search ends: what still fits then does not grow."""
COUNTED: Final[dict[str, tuple[str, ...]]] = {
    "inference": ("weights_bytes", "kv_bytes", "forward_peak_bytes"),
    "decoding": ("weights_bytes", "kv_bytes", "decode_peak_bytes"),
    "training": ("training_states_bytes", "training_tensors_bytes"),
}
"""Totals that are in memory together; a whole input at once, one position after others, a step
whose gradients are added to those of the one before: never less than `training_peak_bytes`."""
LESS: Final = {"training_tensors_bytes": "training_forward_peak_bytes"}
"""What is counted instead of a total that a model lacks."""
HELD: Final = {"kv_bytes": "kv_held_bytes"}
"""What stands for a total where the generated code holds more."""


class Fit(Frozen):
    """What a way to run a model needs, and how far it goes.

    Attributes:
        counted: the totals that are added up.
        missing: those that this model has no count of: it needs more.
        at: lengths, the batch among them.
        need: bytes at them.
        room: bytes of the device without its reserve.
        batch: the largest batch at these lengths; None where it does not matter or has no letter.
        length: the greatest length at this batch, for all of `lengths` alike.
        ends: where a learned table of positions ends it first.
    """

    what: str
    counted: tuple[str, ...]
    missing: tuple[str, ...]
    at: Mapping[str, int]
    need: int
    room: int
    batch: int | None
    length: int | None
    lengths: tuple[str, ...]
    ends: int | None

    @property
    def ok(self) -> bool:
        """Whether it fits at all as it was asked."""
        return self.need <= self.room

    def document(self) -> dict[str, Any]:
        """For a program."""
        return {
            "what": self.what,
            "counted": list(self.counted),
            "missing": list(self.missing),
            "at": dict(self.at),
            "need_bytes": self.need,
            "room_bytes": self.room,
            "fits": self.ok,
            "largest_batch": self.batch,
            "greatest_length": self.length,
            "lengths": list(self.lengths),
            "positions_end": self.ends,
        }


def fits(report: CostReport, room: int) -> Iterator[Fit]:
    """Every way to run a model whose memory is counted, in `room` bytes."""
    costs = report.costs
    free = [known.name for known in costs.free if known.name != costs.batch]
    yield from _fit(report, room, "inference", report.at, free)
    yield from _unfused(report, room, free)
    if costs.seen:
        step = {**report.at, costs.target: 1}
        yield from _fit(report, room, "decoding", step, [costs.seen])
    yield from _fit(report, room, "training", report.at, free)


def largest(need: Callable[[int], int], room: int, most: int = MOST) -> int | None:
    """The largest number up to `most` at which a need that only grows is within the room: 0 where
    none is, None where `most` still is."""
    if need(most) <= room:
        return None
    fitting, high = 0, most
    while high - fitting > 1:
        middle = min(2 * fitting or 1, high - 1) if high == most else (fitting + high) // 2
        if need(middle) <= room:
            fitting = middle
        else:
            high = middle
    return fitting


def _unfused(report: CostReport, room: int, lengths: list[str]) -> Iterator[Fit]:
    """How far inference goes where nothing fuses attention, if its memory is counted."""
    fused = report.setting.kernel == "fused" and any(row.attends for row in report.costs.rows)
    if fused and "forward_peak_bytes" in report.formulas:
        eager = replace(report, setting=replace(report.setting, kernel="eager"))
        for fit in _fit(eager, room, "inference", report.at, lengths):
            yield replace(fit, what="inference unfused")


def _fit(
    report: CostReport, room: int, what: str, at: Mapping[str, int], lengths: list[str]
) -> Iterator[Fit]:
    wanted = [HELD[n] if HELD.get(n) in report.formulas else n for n in COUNTED[what]]
    if what == "decoding" and report.costs.keeps_source:
        wanted.append("source_kv_bytes")
    missing = tuple(name for name in wanted if name not in report.formulas)
    instead = [LESS[name] for name in missing if name in LESS]
    present = tuple(name for name in (*wanted, *instead) if name in report.formulas)
    if not present:
        return
    size = total(report.formulas[name] for name in present)
    costs = report.costs
    ends = min((table.places for table in report.tables), default=None)
    batch = _search(report, size, at, [costs.batch] if costs.batch else [], room, MOST)
    length = _search(report, size, at, lengths, room, ends or MOST)
    yield Fit(
        what=what,
        counted=present,
        missing=missing,
        at=dict(at),
        need=exact(costs, size, at),
        room=room,
        batch=batch,
        length=length,
        lengths=tuple(lengths),
        ends=ends if lengths and length is None else None,
    )


def _search(
    report: CostReport,
    size: Poly,
    at: Mapping[str, int],
    letters: list[str],
    room: int,
    most: int,
) -> int | None:
    if not letters:
        return None
    fixed = {name: n for name, n in at.items() if name not in letters}
    grown = size.at({**report.costs.key.sizes, **fixed})
    return largest(lambda n: value(grown, dict.fromkeys(letters, n)), room, most)
