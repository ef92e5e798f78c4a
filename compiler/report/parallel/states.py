"""What a rank keeps: weights, gradients and the optimizer's states, shared out as ZeRO does."""

from collections.abc import Mapping, Sequence

from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.size import Poly, as_poly, greatest, total
from compiler.passes.cuts import Cuts
from compiler.passes.metrics.training import MASTER_BYTES, STATES
from compiler.passes.setting import Setting
from compiler.report.parallel.degrees import C, D, T, X, shard
from compiler.report.parallel.layout import Part
from compiler.report.parallel.tensors import Bucket, Tensor

DENSE_GROUP = D * C
"""The ranks that hold the same of what is no expert."""
EXPERT_GROUP = T * D * C // X
"""The ranks that hold the same experts: all ranks of a stage share them out."""


class Owned(Frozen):
    """The elements of weights on one rank, in the three buckets; `inside` are those of `whole` of
    whose gradients each rank has a part."""

    cut: Poly
    whole: Poly
    expert: Poly
    inside: Poly

    @property
    def dense(self) -> Poly:
        """All but experts: what the ranks of one group hold alike."""
        return self.cut + self.whole

    @property
    def all(self) -> Poly:
        """Everything on the rank before replicas share it."""
        return self.dense + self.expert

    @property
    def shared(self) -> Poly:
        """What is left where replicas share it out."""
        return shard(self.dense, DENSE_GROUP) + shard(self.expert, EXPERT_GROUP)


class States(Frozen):
    """Bytes on one rank.

    Attributes:
        gathered: of a layer's weights that ZeRO-3 has whole for a time, two layers of them: the one
            that runs and the next.
    """

    weights: Poly
    gradients: Poly
    master_weights: Poly
    optimizer: Poly
    gathered: Poly

    @property
    def total(self) -> Poly:
        """All that training keeps between steps."""
        return self.weights + self.gradients + self.master_weights + self.optimizer

    @property
    def figures(self) -> dict[str, Poly]:
        """Each by the name that it has in documents."""
        return {
            "weights_bytes": self.weights,
            "gradients_bytes": self.gradients,
            "master_weights_bytes": self.master_weights,
            "optimizer_bytes": self.optimizer,
            "training_states_bytes": self.total,
            "gathered_bytes": self.gathered,
        }


def owned(tensors: Sequence[Tensor], stage: int, rank: int = 0) -> Owned:
    """The weights of a stage that the tensor rank `rank` has; expert ranks have equal parts."""

    here = [one for one in tensors if one.copies[stage]]

    def of(bucket: Bucket, inside: bool = False) -> Poly:
        return total(
            one.share(rank) * one.copies[stage]
            for one in here
            if one.bucket == bucket and one.inside >= inside
        )

    return Owned(of("cut"), of("whole"), of("expert"), of("whole", inside=True))


def states(weights: Owned, largest: Poly, setting: Setting, zero: int) -> States:
    """Bytes of the states of a rank (Rajbhandari et al. 2020, section 5); `largest` is the layer
    with most weights."""
    kept, shared = weights.all, weights.shared
    master = MASTER_BYTES * (setting.precision != "fp32")
    return States(
        weights=(shared if zero > 2 else kept) * setting.bytes,
        gradients=(shared if zero > 1 else kept) * setting.bytes,
        master_weights=(shared if zero > 0 else kept) * master,
        optimizer=(shared if zero > 0 else kept) * STATES[setting.optimizer].bytes,
        gathered=largest * 2 * setting.bytes if zero > 2 else as_poly(0),
    )


def largest_layer(tensors: Sequence[Tensor], parts: Sequence[Part], stage: int) -> Poly:
    """The elements of a rank's weights in the largest layer of a stage."""
    layers: dict[str, list[Poly]] = {}
    layer_of = {part.row.path: part.layer for part in parts if part.layer and part.copies[stage]}
    for one in tensors:
        if one.path in layer_of:
            layers.setdefault(layer_of[one.path], []).append(one.share())
    return greatest(*map(total, layers.values())) if layers else as_poly(0)


def cache(parts: Sequence[Part], graphs: Mapping[str, Cuts], stage: int) -> Poly:
    """The elements of keys and values that a rank of a stage keeps: of its own heads where they are
    cut, of all where they share one, and of its part of the sequence."""
    found = []
    for part in parts:
        kept = part.row.needed
        if part.runs[stage] and kept.terms:
            cut = Value(part.place.node.id) in graphs[part.place.graph.name].cut
            found.append(shard(kept, T * C if cut else C) * part.runs[stage])
    return total(found)
