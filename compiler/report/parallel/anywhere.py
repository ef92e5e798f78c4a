"""Any stage of a pipeline at once: how much of a model is on it is said by letters."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.graph import Repeat, Value
from compiler.ir.program import join, layer_mark
from compiler.ir.size import Poly, as_poly, greatest, least, letter, value
from compiler.ops import Borrow
from compiler.passes.cost import Costs
from compiler.passes.cuts import Cuts, every_cut
from compiler.report.parallel.degrees import LETTERS, PIECES, STAGES, Degrees
from compiler.report.parallel.layout import (
    MARK,
    Part,
    all_layers,
    around,
    layers_in,
    marked,
    piece_of,
    stacks,
)
from compiler.report.parallel.placed import placed
from compiler.report.parallel.tensors import Tensor, tensors
from compiler.report.parallel.traffic import hops

FIRST, LAST = map(letter, "fl")
"""1 on the first stage, on the last one, else 0."""
HOPS: Final = hops(PIECES, FIRST, LAST)
COUNTS: Final = "abeghjkqrsuwyz"
"""Letters for the layers of each kind on a stage."""


class Anywhere(Frozen):
    """A model of one stack, or of none or several, which is on one stage then.

    Attributes:
        kinds: by letter, the layers that are alike.
    """

    costs: Costs
    kinds: dict[str, tuple[range, ...]]

    @cached_property
    def graphs(self) -> dict[str, Cuts]:
        """Where each graph is cut."""
        return every_cut(self.costs.program)

    @property
    def cuttable(self) -> bool:
        """Whether stages can share the layers."""
        return len(stacks(self.costs.program)) == 1

    @property
    def layers(self) -> int:
        """All layers."""
        return all_layers(self.costs.program)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Every operator with the runs and copies that a stage has of it; those of layers that are
        alike once."""
        return tuple(self._parts())

    @cached_property
    def weights(self) -> tuple[Tensor, ...]:
        """Every weight with the copies that a stage has, and the stages that have it."""
        program = self.costs.program
        found = tensors(self.parts, self.graphs, placed(program, self.graphs), program)
        lent = {
            part.operator.path: self._readers(part)
            for part in self.parts
            if isinstance(part.operator, Borrow)
        }
        return tuple(self._held(one, lent) for one in found)

    def sizes(self, degrees: Degrees) -> list[dict[str, int]]:
        """The letters of each stage with their sizes."""
        stages: list[dict[str, int]] = [
            {**dict.fromkeys(self.kinds, 0), "f": int(at == 0), "l": int(at == degrees.pp - 1)}
            for at in range(degrees.pp)
        ]
        for name, spans in self.kinds.items():
            for layer in (layer for span in spans for layer in span):
                stages[piece_of(layer, self.layers, degrees.pieces) % degrees.pp][name] += 1
        shared = {letter: getattr(degrees, name) for name, letter in LETTERS.items()}
        return [{**shared, **stage} for stage in stages]

    def _parts(self) -> Iterator[Part]:
        counts = {span: letter(name) for name, spans in self.kinds.items() for span in spans}
        seen: set[tuple[Poly, str]] = set()
        for place, row, name, mark in marked(self.costs):
            uses, copies = value(place.uses), value(place.copies)
            if mark is None:
                here = self._here(name)
                alike = here == as_poly(1)
                yield Part(place, row, (here * uses,), (here * copies,), "", alike)
                continue
            alike = copies < uses  # layers share their weights: a stage with any has them all
            span = layers_in(mark)
            own = counts.get(span, as_poly(len(span)))
            found = (own, place.path[mark.end() :])
            if span in counts and found in seen:
                continue  # the letter has these layers in it
            seen.add(found)
            held = least(own, 1) * copies if alike else own * (copies // len(span))
            yield Part(place, row, (own * (uses // len(span)),), (held,), mark["layer"], alike)

    def _here(self, name: str) -> Poly:
        """1 on the stages that have a node of the root, else 0."""
        first, everywhere = self._around
        if not self.cuttable or name in everywhere or name in stacks(self.costs.program):
            return as_poly(1)
        return FIRST if name in first else LAST

    @cached_property
    def _around(self) -> tuple[set[str], set[str]]:
        return around(self.costs.program)

    def _readers(self, part: Part) -> Poly:
        """1 on the stages that read a borrowed table, else 0."""
        graph = self.costs.program.main
        readers = [node for node, _ in graph.readers(Value(part.place.node.id))]
        found = {self._here(node.under or node.id) for node in readers}
        return as_poly(1) if as_poly(1) in found else greatest(0, *found)

    def _held(self, one: Tensor, lent: dict[str, Poly]) -> Tensor:
        """A weight with the stages that have it."""
        readers = lent.get(f"{one.path}.{one.name}")
        if not self.cuttable or not (one.alike or readers):
            return one
        if readers is None or readers == as_poly(1):
            return replace(one, several=STAGES)
        return replace(one, copies=(greatest(one.copies[0], readers),), several=least(STAGES, 2))


def anywhere(costs: Costs) -> Anywhere | None:
    """The letters of a model's layers by the graphs that they run; None with too many kinds."""
    kinds: dict[str, list[range]] = {}
    if len(stacks(costs.program)) == 1:
        for node in costs.program.main:
            if isinstance(node.what, Repeat):
                for offset, body in enumerate(node.what.bodies):
                    path = join(node.under or node.id, layer_mark(node.what, offset))
                    mark = MARK.match(path)
                    assert mark, path
                    kinds.setdefault(body, []).append(layers_in(mark))
    if len(kinds) > len(COUNTS):
        return None
    named = zip(COUNTS, kinds.values(), strict=False)
    return Anywhere(costs, {name: tuple(spans) for name, spans in named})
