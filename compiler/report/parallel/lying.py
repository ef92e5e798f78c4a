"""Where the tensors of a generated module lie when tensor ranks share it."""

from collections.abc import Iterator, Mapping
from functools import cached_property

from archspec.source.frozen import Frozen
from compiler.ir.graph import Node
from compiler.ir.program import Program, join
from compiler.ir.size import Poly, as_poly, divide_exactly, product, total
from compiler.passes.cuts import Cuts
from compiler.passes.fuse import MAPS, fuse
from compiler.passes.memory import Memory
from compiler.report.parallel.placed import Placed, Places
from compiler.shadow import Saved
from compiler.shadow.length import formula

Lies = tuple[Placed, tuple[Poly, ...]]
"""Where a tensor or a part of one lies, and its shape."""


class Lying(Frozen):
    """Finds out where each tensor lies: with the operator that makes it."""

    program: Program
    graphs: Mapping[str, Cuts]
    places: Places
    memory: Memory

    def parts(self, tensor: Saved) -> Iterator[Lies]:
        """A tensor; of one that several maps make together, what each has of it."""
        graph, node = self._nodes[tensor.node]
        shape = tuple(formula(size) for size in tensor.shape)
        maps = self._maps(node)
        if len(maps) > 1 and shape[-1] == total(maps.values()):
            for name, width in maps.items():
                part = (*shape[:-1], as_poly(width))
                yield self._place(graph, (name,), part), part
        else:
            yield self._place(graph, tuple(maps) or (node.id,), shape), shape

    def _place(self, graph: str, ids: tuple[str, ...], shape: tuple[Poly, ...]) -> Placed:
        """With its operator, unless it has no units and is made among them, as a mask is, or has
        some and is made where they end."""
        regions = self.graphs[graph].regions
        place = self.places[graph, ids[0]]
        begins = any(id_ in region.columns for region in regions for id_ in ids)
        ends = any(id_ in region.rows for region in regions for id_ in ids)
        if place != "units" and not ends:
            return place
        axes = {as_poly(axis.size) for region in regions for axis in region.axes}
        apart = (axis for axis in axes if axis.letters or not ends)
        size = product(shape).at(self._ones)
        if any(divide_exactly(size, axis) is not None for axis in apart):
            return "units"
        return "between" if begins or ends else "whole"

    def _maps(self, node: Node) -> dict[str, Poly]:
        """The maps that were joined into one, with what each makes."""
        what = node.what
        if not isinstance(what, MAPS):
            return {}
        return {name: as_poly(width) for name, width in what.parts}

    @cached_property
    def _ones(self) -> dict[str, int]:
        """Letters that are one: `floor(H / G)` is H for a single key head."""
        return {name: size for name, size in self.program.key.sizes.items() if size == 1}

    @cached_property
    def _nodes(self) -> list[tuple[str, Node]]:
        """Graph and node of each mark in the module, which is written from joined maps."""
        root = self.program.root
        found = {
            join("" if name == root else name, node.id): (name, node)
            for name, graph in fuse(self.program).graphs.items()
            for node in graph
        }
        return [found[path] for path, _ in self.memory.source.nodes]
