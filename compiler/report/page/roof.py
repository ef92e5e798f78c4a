"""A model on a device: the roofline of a forward and of a step, times, and what fits."""

import math
from collections.abc import Iterator
from functools import cached_property, partial
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly
from compiler.ops import GroupedLinear
from compiler.passes.cost import Row
from compiler.passes.metrics.cache import of_steps
from compiler.passes.metrics.traffic import weights_bytes
from compiler.passes.setting import Setting
from compiler.report.device.assumed import assumed
from compiler.report.device.device import Device
from compiler.report.device.figures import duration, per, three
from compiler.report.device.fit import COUNTED, Fit
from compiler.report.device.on_device import OnDevice
from compiler.report.device.roofline import Node, Phase
from compiler.report.device.section import NAMES, headline, notes
from compiler.report.device.table import shipped
from compiler.report.numbers import flops, grouped, memory
from compiler.report.page.plot import FOOT, HIGH, LEFT, RIGHT, TOP, WIDE, mark
from compiler.report.page.sheet import Sheet, moved_bytes

ACROSS: Final = (-1, 5)
UP: Final = (9, 16)
"""Powers of ten at the ends of the axes: FLOPs a byte, and FLOPs a second."""


class Point(Frozen):
    """A node of a phase: where it lies, how large it is by its part of the time, and its path."""

    row: int
    x: float
    y: float
    radius: float
    path: str


class Roof(Frozen):
    """The section: a device, its phases as columns, points under its roof."""

    sheet: Sheet

    @property
    def there(self) -> OnDevice:
        """The report on the device."""
        return self.sheet.there

    @property
    def title(self) -> str:
        """What the device is called."""
        return self.there.device.title

    @property
    def headline(self) -> str:
        """The device in a line."""
        return headline(self.there)

    @property
    def notes(self) -> list[str]:
        """What is assumed."""
        return list(notes(self.there))

    @property
    def names(self) -> list[str]:
        """The columns of the table of times."""
        return [NAMES[phase.name] for phase in self.there.phases]

    @property
    def times(self) -> list[tuple[str, str, list[str]]]:
        """Lines of that table: a key, words and a cell for each phase."""
        phases = self.there.phases
        every = [_cells(phase) for phase in phases]
        return [(key, words, [cells[key] for cells in every]) for key, words in LINES.items()]

    @property
    def fits(self) -> tuple[Fit, ...]:
        """What fits in the setting that is chosen; the sliders have the other kernel."""
        return tuple(fit for fit in self.there.fits if fit.what in COUNTED)

    @property
    def devices(self) -> list[Device]:
        """The one that was named, then the others of the table."""
        chosen = self.there.device
        return [chosen, *(each for each in shipped() if each.name != chosen.name)]

    def largest(self, found: int | None, fit: Fit) -> str:
        """A number that still fits."""
        if found is None:
            return "not counted" if fit.missing else "any"
        return grouped(found) if found else "none"

    def greatest(self, fit: Fit) -> str:
        """The greatest length, or where the table of positions ends."""
        return grouped(fit.ends) if fit.ends is not None else self.largest(fit.length, fit)

    @property
    def room(self) -> str:
        """Memory without the reserve."""
        return memory(self.there.room)

    @cached_property
    def points(self) -> list[tuple[str, list[Point]]]:
        """The nodes with matrix products, by phase."""
        return [(phase.name, list(self._points(phase))) for phase in self.there.phases]

    @property
    def path(self) -> str:
        """The roof: bandwidth up to the ridge, the device's rate behind it."""
        device, precision = self.there.device, self.sheet.report.precision
        rate = device.rates[precision]
        ridge = device.ridge(precision)
        left = 10.0 ** ACROSS[0]
        edge = WIDE - RIGHT
        start = f"M{_x(left):g} {_y(left * device.bandwidth):g}"
        return f"{start}L{_x(ridge):g} {_y(rate):g}H{edge}"

    @property
    def ticks(self) -> tuple[list[tuple[float, str]], list[tuple[float, str]]]:
        """Marks of both axes."""
        across = [(_x(10.0**p), _length(p)) for p in range(ACROSS[0], ACROSS[1] + 1)]
        beside = [(_y(10.0**p), mark(10**p, "FLOP")) for p in range(*UP, 2)]
        return across, beside

    def document(self) -> dict[str, Any]:
        """For the script: rows as figures, and what fits."""
        figures, costs = self.sheet.figures, self.sheet.report.costs
        return {
            "rows": [
                self._row(row, *found)
                for row, found in zip(self.sheet.rows, self._experts(), strict=True)
            ],
            "fits": [
                {
                    "what": fit.what,
                    "of": [figures.figure(self.sheet.metric(name)) for name in fit.counted],
                    "step": fit.what == "decoding",
                    "missing": bool(fit.missing),
                    "batch": costs.batch,
                    "lengths": list(fit.lengths),
                    "ends": min((t.places for t in self.sheet.report.tables), default=0),
                }
                for fit in self.fits
            ],
            "names": self.names,
            "cache": figures.figure(partial(of_steps, costs)),
            "across": ACROSS,
            "up": UP,
        }

    @property
    def every_device(self) -> list[dict[str, Any]]:
        """For the script, the same for all specs: devices with what is assumed of each."""
        return [self._device(each) for each in self.devices]

    def _row(self, row: Row, experts: int, chosen: int) -> list[object]:
        place = self.sheet.figures.figure
        products = place(partial(_products, row))
        moved = place(partial(moved_bytes, [row]))
        found: list[object] = [products, moved, place(lambda _: as_poly(row.runs)), int(row.once)]
        weights = place(partial(weights_bytes, row))
        return [*found, weights, experts, chosen]

    def _experts(self) -> Iterator[tuple[int, int]]:
        """For each row its experts and how many a token is sent to; 0 where it has none."""
        key = self.sheet.report.costs.program.key
        for place in self.sheet.report.costs.program.places():
            operator = place.node.what
            if isinstance(operator, GroupedLinear):
                yield self.sheet.value(key.fix(operator.E)), self.sheet.value(key.fix(operator.A))
            else:
                yield 0, 0

    def _device(self, device: Device) -> dict[str, Any]:
        mine = device == self.there.device
        found = {}
        for precision in ("fp32", "bf16", "fp16"):
            if precision in device.rates:
                one = assumed(device, precision, self.there.assume.said if mine else "")
                found[precision] = [
                    device.rates[precision],
                    one.efficiency,
                    one.bandwidth,
                    one.reserve,
                    one.overhead,
                ]
        return {
            "said": device.said or device.name,
            "assume": self.there.assume.said if mine else "",
            "title": device.title,
            "memory": device.memory,
            "bandwidth": device.bandwidth,
            "at": found,
        }

    def _points(self, phase: Phase) -> Iterator[Point]:
        rows = {row.path: at for at, row in enumerate(self.sheet.rows)}
        for node in phase.nodes:
            if node.flops:
                yield self._point(phase, node, rows[node.path])

    def _point(self, phase: Phase, node: Node, row: int) -> Point:
        part = node.seconds / phase.seconds
        x, y = _x(node.intensity), _y(node.flops / node.seconds)
        return Point(row, x, y, round(2.5 + 9 * math.sqrt(part), 1), node.path)


LINES: Final = {
    "flops": "matrix products",
    "moved": "bytes moved",
    "intensity": "FLOP per byte",
    "least": "never below",
    "most": "a second, at most",
    "seconds": "with assumptions",
    "rate": "a second, with assumptions",
    "bound": "bound",
}


def _length(power: int) -> str:
    return f"{10.0**power:g}" if power < 3 else f"{10 ** (power - 3)} k"


def _cells(phase: Phase) -> dict[str, str]:
    return {
        "flops": flops(phase.flops),
        "moved": memory(round(phase.moved)),
        "intensity": three(per(phase.flops, phase.moved)),
        "least": duration(phase.least),
        "most": three(per(phase.tokens, phase.least)),
        "seconds": duration(phase.seconds),
        "rate": three(per(phase.tokens, phase.seconds)),
        "bound": f"{phase.bound}-bound",
    }


def _products(row: Row, setting: Setting) -> Poly:
    return row.cost.total("visible" if setting.kernel == "fused" else "matmul")


def _x(intensity: float) -> float:
    part = (math.log10(intensity) - ACROSS[0]) / (ACROSS[1] - ACROSS[0])
    return round(LEFT + min(max(part, 0.0), 1.0) * (WIDE - LEFT - RIGHT), 1)


def _y(rate: float) -> float:
    part = (math.log10(rate) - UP[0]) / (UP[1] - UP[0])
    return round(HIGH - FOOT - min(max(part, 0.0), 1.0) * (HIGH - FOOT - TOP), 1)
