"""What a rank sends in one step of training: a formula for each reason."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, get_args

from archspec.source.frozen import Frozen
from compiler.ir.graph import Graph, Repeat, Value
from compiler.ir.program import Program
from compiler.ir.size import Poly, Size, as_poly, product, total
from compiler.ops import Combine, Dispatch, LatentAttention
from compiler.passes.cuts import Cuts, Region
from compiler.passes.setting import Setting
from compiler.report.parallel.degrees import C, Degrees, M, T, X, shard
from compiler.report.parallel.layout import Part
from compiler.report.parallel.states import DENSE_GROUP, EXPERT_GROUP, Owned
from compiler.report.parallel.tensors import Tensor
from compiler.report.parallel.vocabulary import reads_vocabulary, scores_vocabulary

Kind = Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all", "ring", "send"]
Group = Literal["tp", "pp", "dp", "ep", "cp"]
LOSS_SUMS: Final = 3
LOSS_BYTES: Final = 4
"""A cross entropy over a vocabulary that ranks share: what they sum for a position, in float32
(Megatron-LM, `vocab_parallel_cross_entropy`)."""


class Transfer(Frozen):
    """Bytes that one rank sends in a step, for one reason; it receives about as many.

    Collectives count as rings run them: n - 1 of n equal parts, twice for a sum that all get.
    """

    group: Group
    kind: Kind
    what: str
    bytes: Poly


def hops(pieces: Size, first: Size, last: Size) -> Size:
    """The sides of a stage's pieces on which another stage follows or goes before; `first` and
    `last` are 1 where it is that one, else 0."""
    return 2 * pieces - first - last


class Traffic(Frozen):
    """All that the ranks of one stage send, from the parts of a program; `hops` are its own."""

    program: Program
    parts: Sequence[Part]
    graphs: Mapping[str, Cuts]
    degrees: Degrees
    setting: Setting
    stage: int
    hops: Size

    def transfers(self, weights: Owned, tensors: Sequence[Tensor]) -> tuple[Transfer, ...]:
        """By group and reason; `weights` are what a rank of the stage has of `tensors`."""
        every = (self.among(group, weights, tensors) for group in get_args(Group))
        return tuple(one for found in every for one in found if one.bytes.terms)

    def among(self, group: Group, weights: Owned, tensors: Sequence[Tensor]) -> Iterator[Transfer]:
        """What goes to the ranks of one group."""
        if group == "tp":
            return self._tensor(weights)
        if group == "pp":
            return self._pipeline(tensors)
        if group == "dp":
            return self._replicas(weights)
        return self._experts() if group == "ep" else self._ring()

    @property
    def _size(self) -> int:
        return self.setting.bytes

    @property
    def _again(self) -> int:
        """Forwards of a layer in a step."""
        return 2 if self.setting.recompute == "full" else 1

    def _replicas(self, weights: Owned) -> Iterator[Transfer]:
        groups = (
            ("weights", weights.dense, DENSE_GROUP, self.degrees.dense_group),
            ("experts", weights.expert, EXPERT_GROUP, self.degrees.expert_group),
        )
        for name, count, group, ranks in groups:
            if ranks == 1 or not count.terms:
                continue
            part = shard(count, group) * (group - 1) * self._size
            zero, rounds = self.degrees.zero, M if self.degrees.zero > 1 else as_poly(1)
            if zero == 0:
                yield Transfer("dp", "all_reduce", f"gradients of {name}", part * 2)
                continue
            yield Transfer("dp", "reduce_scatter", f"gradients of {name}", part * rounds)
            gathers = 2 * M if zero == 3 else as_poly(1)
            yield Transfer("dp", "all_gather", f"{name}", part * gathers)

    def _tensor(self, weights: Owned) -> Iterator[Transfer]:
        """Gather before a region and scatter behind it; backward the other way round. A rank keeps
        its own part of what it gathered, so that this is gathered again for the gradients of the
        maps that read it. Where sequences are not cut, both are sums that every rank gets.
        """
        if self.degrees.tp == 1:
            return
        gathers, scatters, kept = [], [], []
        for times, again, read, made in self._regions():
            gathers.append((read * again + made) * times)
            scatters.append((made * again + read) * times)
            kept.append(read * times)
        each = M * (T - 1) * self._size
        if self.degrees.sp:
            yield Transfer("tp", "all_gather", "activations", total(gathers) * each)
            yield Transfer("tp", "all_gather", "inputs of maps, once more", total(kept) * each)
            yield Transfer("tp", "reduce_scatter", "activations", total(scatters) * each)
        else:
            yield Transfer("tp", "all_reduce", "activations", total(scatters) * each * 2)
        yield Transfer("tp", "all_reduce", "losses", self._losses())
        whole = shard(weights.whole if self.degrees.sp else weights.inside, T)
        sums = whole * (T - 1) * 2 * self._size
        yield Transfer("tp", "all_reduce", "gradients of weights that are whole", sums)

    def _losses(self) -> Poly:
        """For each position the largest score, the sum of exponentials and the score of its target,
        in float32; backward nothing."""
        rows = [
            product(part.place.graph.type(Value(part.place.node.id)).shape[:-1])
            * part.runs[self.stage]
            for part in self.parts
            if part.runs[self.stage] and scores_vocabulary(part.place.node, self.program.key)
        ]
        rounds = shard(total(rows).at(self.program.key.formulas), T * C) * (T - 1) * 2
        return rounds * LOSS_SUMS * LOSS_BYTES * M

    def _regions(self) -> Iterator[tuple[Size, int, Poly, Poly]]:
        """Runs, forwards, and what a rank has of the values read and made, for each region."""
        for part in self.parts:
            graph, node, times = part.place.graph, part.place.node, part.runs[self.stage]
            if not times:
                continue
            again = self._again if part.layer else 1
            for region in self.graphs[graph.name].regions:
                if node.id == region.rows[0]:
                    yield times, again, self._sum(graph, region.reads), self._made(graph, region)
            if reads_vocabulary(node):
                yield times, again, as_poly(0), self._sum(graph, [Value(node.id)])
            if scores_vocabulary(node, self.program.key) and node.inputs[0]:
                yield times, again, self._sum(graph, [node.inputs[0]]), as_poly(0)

    def _made(self, graph: Graph, region: Region) -> Poly:
        return self._sum(graph, [Value(row) for row in region.rows])

    def _sum(self, graph: Graph, values: Sequence[Value]) -> Poly:
        """What a rank has of some values that are cut along the sequence."""
        return total(shard(self._count(graph, value), T * C) for value in values)

    def _count(self, graph: Graph, value: Value) -> Poly:
        return graph.type(value).count.at(self.program.key.formulas)

    def _pipeline(self, tensors: Sequence[Tensor]) -> Iterator[Transfer]:
        if self.hops == 0:
            return
        stack = next(node for node in self.program.main if isinstance(node.what, Repeat))
        count = stack.types[0].count.at(self.program.key.formulas)
        each = shard(count, T * C if self.degrees.sp else C) * M * self._size
        yield Transfer("pp", "send", "activations and their gradients", each * self.hops)
        both = [one for one in tensors if one.alike and one.copies[self.stage] and one.holders != 1]
        sums = [
            shard(one.share() * one.copies[self.stage], as_poly(one.holders)) * (one.holders - 1)
            for one in both
        ]
        what = "gradients of weights on several stages"
        yield Transfer("pp", "all_reduce", what, total(sums) * 2 * self._size)

    def _experts(self) -> Iterator[Transfer]:
        """Rows to their experts and back, as many to each; once more backward."""
        if self.degrees.ep == 1:
            return
        found = []
        for part in self.parts:
            node = part.place.node
            if isinstance(part.operator, Dispatch):
                rows: Value | None = Value(node.id)
            elif isinstance(part.operator, Combine):
                rows = node.inputs[0]
            else:
                continue
            assert rows is not None
            sent = shard(self._count(part.place.graph, rows), T * C * X) * (X - 1)
            found.append(sent * (part.runs[self.stage] * (self._again + 1)))
        yield Transfer("ep", "all_to_all", "rows of experts", total(found) * M * self._size)

    def _ring(self) -> Iterator[Transfer]:
        """Keys and values go round; backward they do so again, and their gradients."""
        if self.degrees.cp == 1:
            return
        again = 1 if self.setting.recompute == "none" else 2
        found = []
        for part in self.parts:
            if part.row.attends and part.runs[self.stage]:
                times = part.runs[self.stage] * ((again if part.layer else 1) + 2)
                found.append(self._keys(part) * times)
        yield Transfer("cp", "ring", "keys and values", total(found) * (C - 1) * M * self._size)

    def _keys(self, part: Part) -> Poly:
        """What a rank has of the keys and values of an attention, or of its latent rows."""
        graph, node = part.place.graph, part.place.node
        last = 2 if isinstance(part.operator, LatentAttention) else 3
        inside = self.graphs[graph.name].cut
        return total(
            shard(self._count(graph, value), T * C if value in inside else C)
            for value in node.inputs[1:last]
            if value
        )
