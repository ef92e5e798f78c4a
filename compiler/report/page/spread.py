"""A model on many devices: what a rank of each stage keeps and sends, at degrees to choose."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly, value
from compiler.passes.setting import Setting
from compiler.report.formula import formula
from compiler.report.numbers import grouped
from compiler.report.page.sheet import Number, Sheet
from compiler.report.parallel.degrees import LARGEST, WAYS, Degrees
from compiler.report.parallel.fits import misfits
from compiler.report.parallel.ranks import Ranks, ranks

COLUMNS: Final = {
    "parameters": "parameters",
    "weights_bytes": "weights",
    "gradients_bytes": "gradients",
    "master_weights_bytes": "master copies",
    "optimizer_bytes": "optimizer",
    "training_states_bytes": "together",
    "kv_bytes": "keys, values",
    "communication_bytes": "sent in a step",
}
LETTERS: Final = {"tp": "t", "dp": "d", "cp": "c", "ep": "x", "microbatches": "m"}
"""Degrees that are letters of formulas; the others decide which formulas there are."""
DIVIDING: Final = ("tp", "ep")
MOST: Final = 256


class Degree(Frozen):
    """A degree to choose: its letter, what it counts, and either the numbers that fit or a largest
    one."""

    name: str
    letter: str
    meaning: str
    size: int
    fitting: tuple[int, ...]
    most: int


class Spread(Frozen):
    """The section about many devices."""

    sheet: Sheet
    asked: Degrees

    @property
    def title(self) -> str:
        """Devices and what of them is fixed: stages, and what replicas share."""
        one = self.asked
        stages = f"{one.pp} stages" if one.pp > 1 else "one stage"
        pieces = f" of {one.interleave} pieces" if one.interleave > 1 else ""
        bubble = f", idle for {100 * float(one.bubble):.3g} % of the work" if one.pp > 1 else ""
        return f"{grouped(one.ranks)} devices, {stages}{pieces}{bubble}, ZeRO stage {one.zero}"

    @property
    def columns(self) -> list[str]:
        """The heads of the table."""
        return list(COLUMNS.values())

    @cached_property
    def degrees(self) -> list[Degree]:
        """Those that can be chosen for this model."""
        return [found for name in LETTERS if (found := self._degree(name)).most > 1]

    @cached_property
    def rows(self) -> list[tuple[str, list[Number]]]:
        """Stages with the same formulas together, and their figures."""
        stages = self._counted(self.sheet.report.setting).stages
        groups: dict[tuple[Poly, ...], list[int]] = {}
        for stage in stages:
            groups.setdefault(tuple(stage.states[name] for name in COLUMNS), []).append(stage.index)
        places = self.sheet.figures.several(self._figures([g[0] for g in groups.values()]))
        found = []
        for row, (sizes, indices) in enumerate(groups.items()):
            own = places[row * len(COLUMNS) : (row + 1) * len(COLUMNS)]
            numbers = [
                self._number(place, name, size)
                for place, name, size in zip(own, COLUMNS, sizes, strict=True)
            ]
            found.append((_range(indices), numbers))
        return found

    def document(self) -> dict[str, Any]:
        """For the script: sizes of the letters, and what else is in the option."""
        kept = {name: getattr(self.asked, name) for name in ("pp", "zero", "interleave", "sp")}
        usual = Degrees()
        return {
            "letters": LETTERS,
            "sizes": {letter: str(getattr(self.asked, n)) for n, letter in LETTERS.items()},
            "fixed": {n: size for n, size in kept.items() if size != getattr(usual, n)},
        }

    def _number(self, place: int, name: str, size: Poly) -> Number:
        unit = "parameters" if name == "parameters" else "bytes"
        sizes = {**self.sheet.report.sizes, **self.asked.sizes}
        return Number(place, unit, value(size, sizes), formula(size))

    def _figures(self, stages: list[int]) -> Callable[[Setting], list[Poly]]:
        def counted(setting: Setting) -> list[Poly]:
            found = self._counted(setting).stages
            return [as_poly(found[at].states[name]) for at in stages for name in COLUMNS]

        return counted

    def _counted(self, setting: Setting) -> Ranks:
        """With every degree that can be more than one: what it adds is nothing where it is one."""
        several = {
            degree.name: max(2, *degree.fitting[:2]) if degree.fitting else max(2, degree.size)
            for degree in self.degrees
            if degree.name != "microbatches"
        }
        found = ranks(self.sheet.report.costs, self.sheet.report.at, self._larger(several), setting)
        assert isinstance(found, Ranks), found
        return found

    def _larger(self, several: dict[str, int]) -> Degrees:
        one = replace(self.asked, **several)
        return replace(one, dp=one.dp * one.ep)

    def _degree(self, name: str) -> Degree:
        size, letter = getattr(self.asked, name), LETTERS[name]
        if name in DIVIDING:
            fitting = tuple(self._fitting(name))
            return Degree(name, letter, WAYS[name], size, fitting, max(fitting))
        free = name != "cp" or self._fits("cp", 2)
        return Degree(name, letter, WAYS[name], size, (), LARGEST if free else 1)

    def _fitting(self, name: str) -> Iterator[int]:
        for size in range(1, MOST + 1):
            if size == getattr(self.asked, name) or self._fits(name, size):
                yield size

    def _fits(self, name: str, size: int) -> bool:
        alone = Degrees(**{name: size, **({"dp": size} if name == "ep" else {})})
        return not misfits(self.sheet.report.costs, {}, alone)


def _range(indices: list[int]) -> str:
    """Stages by their numbers: `0`, `1 to 6`."""
    return str(indices[0]) if len(indices) == 1 else f"{indices[0]} to {indices[-1]}"
