"""Token mixers side by side as text: orders, figures over the length, reach by depth."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.ir.size import value
from compiler.passes.mixers import Mixer
from compiler.passes.reach import Depth
from compiler.passes.setting import Precision
from compiler.report.formula import formula
from compiler.report.numbers import flops, grouped, memory
from compiler.report.order import hops_order, steps_order, work_order
from compiler.report.primitives import Primitives
from compiler.report.table import Table

FIGURES: Final[dict[str, tuple[tuple[str, ...], Callable[[int], str]]]] = {
    "work of one layer, maps around the mixing too": (("mixing_flops", "mapping_flops"), flops),
    "results that its operators write, attention fused": (("results_bytes",), memory),
    "attention matrix where nothing is fused": (("attention_matrix_bytes",), memory),
    "sequential steps of one layer": (("sequential_steps",), grouped),
    "longest path between two positions, in layers or cells": (("longest_path",), grouped),
}
KEY: Final = (
    "N positions, D wide; k taps of a filter, r positions to a side of a window. The longest path",
    "is that of a stack of such layers alone: `none` where some positions never meet.",
)
HEAD: Final = (
    "spec",
    "mixer",
    "layers",
    "mixing",
    "maps",
    "sequential steps",
    "longest path",
    "sees back / on",
)


class SideBySide(Frozen):
    """The mixers of some specs at lengths N and a batch."""

    every: tuple[Primitives, ...]
    lengths: Sequence[int]
    batch: int
    precision: Precision

    def text(self, *, formulas: bool = False) -> str:
        """Table 1 of Vaswani et al. 2017 for these mixers, their figures over N, their reach."""
        lines = [f"one layer of each, B = {self.batch}, {self.precision}", ""]
        orders, *rest = self.tables(formulas=formulas)
        lines += [*orders.text(), "", *KEY]
        for table in rest:
            lines += ["", *table.text()]
        return "\n".join(lines) + "\n"

    def tables(self, *, formulas: bool = False) -> list[Table]:
        """The orders, then the figures over N, then the reach by depth."""
        found = [Table(HEAD, [*self._orders()], frozenset({2}))]
        for title, (names, shown) in FIGURES.items():
            if rows := [*self._over_length(names, shown)]:
                heads = (title, *(f"N = {grouped(n)}" for n in self.lengths))
                found.append(Table(heads, rows, frozenset(range(1, len(heads)))))
        if formulas:
            found.append(Table(("mixer", "figure", "formula"), [*self._formulas()]))
        for each in self.every:
            for name, depths in each.depths.items():
                heads = (f"{each.name}, `{name}`: after", "back", "on", "sees")
                found.append(Table(heads, [*_by_depth(depths)], frozenset({1, 2, 3})))
        return found

    def document(self) -> dict[str, Any]:
        """For programs: exact integers; None is without bound, or no way."""
        each = [found.document(self.lengths, self.batch, self.precision) for found in self.every]
        return {"batch": self.batch, "precision": self.precision, "specs": each}

    def _orders(self) -> Iterator[tuple[str, ...]]:
        for found, mixer in self._mixers():
            yield (
                found.name,
                mixer.path,
                str(value(mixer.layers, found.key.sizes)),
                work_order(mixer, found.key),
                "O(N·D²)" if mixer.mapping.terms else "",
                steps_order(mixer, found.key),
                hops_order(mixer, found.key),
                f"{_places(mixer.reach.back)} / {_places(mixer.reach.ahead)}",
            )

    def _over_length(
        self, names: Sequence[str], shown: Callable[[int], str]
    ) -> Iterator[tuple[str, ...]]:
        """A row for each mixer that has the figure."""
        for found, mixer in self._mixers():
            figures = [
                found.figures(mixer, length, self.batch, self.precision) for length in self.lengths
            ]
            sums = [sum(each[name] or 0 for name in names) for each in figures]
            if any(sums):
                mark = " (its own N)" if found.fixed(mixer) else ""
                yield (f"{found.name} {mixer.path}{mark}", *map(shown, sums))

    def _formulas(self) -> Iterator[tuple[str, ...]]:
        for found, mixer in self._mixers():
            for name, size in found.formulas(mixer, self.precision).items():
                yield (f"{found.name} {mixer.path}", name, formula(size))

    def _mixers(self) -> Iterator[tuple[Primitives, Mixer]]:
        return ((found, mixer) for found in self.every for mixer in found.mixers)


def _by_depth(depths: Sequence[Depth]) -> Iterator[tuple[str, ...]]:
    """A row for each depth at which positions see more than before."""
    before = None
    for depth in depths:
        reach = depth.reach
        if (reach.back, reach.ahead) != before:
            sees = None
            if reach.back is not None and reach.ahead is not None:
                sees = reach.back + 1 + reach.ahead
            yield (depth.path, *map(_places, (reach.back, reach.ahead, sees)))
        before = (reach.back, reach.ahead)


def _places(count: int | None) -> str:
    return "all" if count is None else grouped(count)
