"""The weights of the folded program in three buckets: cut by tensor parallelism, whole, experts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.size import Poly, Size, as_poly, product
from compiler.ops import Borrow, Embedding, GroupedLinear
from compiler.passes.cuts import Cuts
from compiler.report.parallel.degrees import T, X
from compiler.report.parallel.layout import Part
from compiler.report.parallel.placed import Places
from compiler.report.parallel.vocabulary import scores_vocabulary

Bucket = Literal["cut", "whole", "expert"]


class Tensor(Frozen):
    """A weight of the folded program.

    Attributes:
        path: of the operator that owns it, with the layers that it stands for.
        along: the length of the axis that is cut, or the number of experts; 1 where it is whole.
        across: the product of its other axes.
        even: whether the degree divides `along`; it need not divide the rows of a vocabulary.
        copies: how many each stage has.
        alike: whether all stages that have any have the same ones, and add up their gradients.
        inside: whether it meets heads or hidden units of which each rank has its own, so that each
            has a part of its gradient.
        several: the stages that have it where `copies` are of any one of them; 0 where of each.
    """

    path: str
    name: str
    bucket: Bucket
    along: Poly
    across: Poly
    even: bool
    copies: tuple[Size, ...]
    alike: bool
    inside: bool
    several: Size = 0

    @property
    def holders(self) -> Size:
        """The stages that have it."""
        return self.several or sum(1 for copies in self.copies if copies)

    def share(self, rank: int = 0) -> Poly:
        """The elements of one copy that a rank of its group has; the first one has the most."""
        if self.bucket == "whole":
            return self.along * self.across
        if self.bucket == "expert":
            return self.along // X * self.across
        along = self.along if self.even else self.along + T - 1 - rank
        return along // T * self.across


def tensors(
    parts: Sequence[Part], graphs: Mapping[str, Cuts], places: Places, program: Program
) -> tuple[Tensor, ...]:
    """Every trained weight, in the order of execution."""
    found: list[Tensor] = []
    for part in parts:
        graph, node = part.place.graph.name, part.place.node.id
        inside = places[graph, node] in ("units", "whole")
        found += _of(part, graphs[graph], program.key, inside)
    for part in parts:
        if isinstance(part.operator, Borrow):
            stages = _readers(part, parts, program)
            found = [_lent(one, part.operator.path, stages) for one in found]
    return tuple(found)


def _of(part: Part, cuts: Cuts, key: Letters, inside: bool) -> Iterator[Tensor]:
    operator, node = part.operator, part.place.node
    columns = {id_ for region in cuts.regions for id_ in region.columns}
    rows = {id_ for region in cuts.regions for id_ in region.rows}
    table = isinstance(operator, Embedding) or scores_vocabulary(node, key)
    given = operator.parameters(part.place.graph.types(node.inputs), key)
    for name, parameter in given.items():
        if not parameter.trained:
            continue
        axis: int | None = None
        bucket: Bucket = "whole"
        if isinstance(operator, GroupedLinear):
            bucket, axis = "expert", 0
        elif node.id in columns or table:
            bucket, axis = "cut", 0
        elif node.id in rows and len(parameter.shape) > 1:
            bucket, axis = "cut", 1
        along = as_poly(1 if axis is None else parameter.shape[axis])
        across = product(size for i, size in enumerate(parameter.shape) if i != axis)
        even = not table or node.id in columns
        yield Tensor(
            part.row.path, name, bucket, along, across, even, part.copies, part.alike, inside
        )


def _readers(part: Part, parts: Sequence[Part], program: Program) -> set[int]:
    """The stages that read a borrowed table."""
    readers = {node.id for node, _ in program.main.readers(Value(part.place.node.id))}
    return {
        stage
        for each in parts
        if each.place.graph is program.main and each.place.node.id in readers
        for stage, runs in enumerate(each.runs)
        if runs
    }


def _lent(tensor: Tensor, path: str, stages: set[int]) -> Tensor:
    """A table with a copy on every stage that reads it."""
    if f"{tensor.path}.{tensor.name}" != path:
        return tensor
    copies = tuple(own or int(s in stages) for s, own in enumerate(tensor.copies))
    return replace(tensor, copies=copies, alike=True)
