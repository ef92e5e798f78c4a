"""A model on many devices: what a rank of each stage keeps and sends, in formulas and integers."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from archspec.source.diagnostic import Diagnostic
from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, total, value
from compiler.passes.cost import Costs
from compiler.passes.cuts import every_cut
from compiler.passes.metrics.memory import known
from compiler.passes.setting import USUAL, Setting
from compiler.report.parallel.activations import Activations, Kept
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.fits import misfits, shares_sequences
from compiler.report.parallel.layout import layers_of, layout
from compiler.report.parallel.lying import Lying
from compiler.report.parallel.placed import placed
from compiler.report.parallel.states import cache, largest_layer, owned, states
from compiler.report.parallel.tensors import tensors
from compiler.report.parallel.traffic import Traffic, Transfer, hops

FIGURES: Final[dict[str, str]] = {
    "parameters": "weights on a rank before replicas share them out",
    "parameters_cut": "those of maps that tensor parallelism cuts, and of tables of the vocabulary",
    "parameters_whole": "those that every tensor rank has: norms, routers, positions",
    "parameters_experts": "those of the rank's experts",
    "weights_bytes": "weights",
    "gradients_bytes": "gradients",
    "master_weights_bytes": "float32 copies of the weights",
    "optimizer_bytes": "states of the optimizer",
    "training_states_bytes": "the four together",
    "gathered_bytes": "two whole layers while ZeRO-3 runs one and fetches the next",
    "saved_bytes": "tensors that forwards made and backward passes under way need",
    "training_kept_bytes": "states, gathered layers and saved tensors together",
    "kv_bytes": "keys and values of one microbatch, where it decodes",
    "communication_bytes": "bytes sent in one step of training",
}
"""The figures of a rank, by the names that they have in documents."""
COUNTED: Final = ("saved_bytes", "training_kept_bytes")
"""Those of models alone whose tensors are counted."""


class Stage(Frozen):
    """The tensor rank with the most of one stage; ranks of other groups have as much.

    `figures` and the bytes of `transfers` are formulas in the model's letters and those of degrees
    (t, d, c, x, m); `numbers` have both put in.

    Attributes:
        states: the figures that follow from weights, and those of what is sent.
        activations: counts the tensors that it keeps, where that can be done.
    """

    index: int
    layers: int
    states: Mapping[str, Poly]
    transfers: tuple[Transfer, ...]
    sizes: Mapping[str, int]
    activations: Activations | None

    @cached_property
    def saved(self) -> Kept | None:
        """The tensors that backward passes under way need."""
        return self.activations.stage(self.index) if self.activations else None

    @cached_property
    def figures(self) -> Mapping[str, Poly]:
        """Every figure as a formula."""
        found = dict(self.states)
        if self.saved:
            found["saved_bytes"] = self.saved.total
            parts = ("training_states_bytes", "gathered_bytes", "saved_bytes")
            found["training_kept_bytes"] = total(found[name] for name in parts)
        return {name: found[name] for name in FIGURES if name in found}

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Every figure as an exact integer."""
        return {name: value(size, self.sizes) for name, size in self.figures.items()}

    @property
    def kept(self) -> int:
        """All that training keeps on it, as far as that is counted."""
        states = self.numbers["training_states_bytes"]
        return self.numbers.get("training_kept_bytes", states)

    def sent(self, transfer: Transfer) -> int:
        """The bytes of a transfer as an exact integer."""
        return value(transfer.bytes, self.sizes)


class Ranks(Frozen):
    """What `archc cost --parallel` answers beside the costs of the whole model."""

    degrees: Degrees
    setting: Setting
    batch: int
    stages: tuple[Stage, ...]

    @property
    def fullest(self) -> Stage:
        """The stage whose ranks keep most."""
        return max(self.stages, key=lambda stage: stage.kept)

    @property
    def busiest(self) -> Stage:
        """The stage whose ranks send most."""
        return max(self.stages, key=lambda stage: stage.numbers["communication_bytes"])

    def text(self, room: int | None = None) -> str:
        """For a terminal; with `room`, the bytes of a device that a rank may take, whether it has
        enough."""
        from compiler.report.parallel.said import text

        return text(self, room)

    def markdown(self, room: int | None = None) -> str:
        """For a pull request, with `room` as in `text`."""
        from compiler.report.parallel.said import markdown

        return markdown(self, room)

    def document(self) -> dict[str, Any]:
        """For a program: exact integers and formulas."""
        from compiler.report.parallel.document import document

        return document(self)


def ranks(
    costs: Costs, at: Mapping[str, int], degrees: Degrees, setting: Setting = USUAL
) -> Ranks | tuple[Diagnostic, ...]:
    """Spread a model over devices; `at` has a size for every free letter, B that of a microbatch.

    Returns diagnostics where a degree does not divide what it cuts.
    """
    wrong = misfits(costs, at, degrees)
    if wrong:
        return wrong
    program = costs.program
    graphs = every_cut(program)
    places = placed(program, graphs)
    parts = layout(costs, degrees)
    if not shares_sequences(parts, graphs, costs):
        degrees = replace(degrees, sp=0)
    weights = tensors(parts, graphs, places, program)
    sizes = {**costs.key.sizes, **at, **degrees.sizes}
    layers = layers_of(costs, degrees)
    saved = None
    if known(costs) and costs.memory:
        lying = Lying(program, graphs, places, costs.memory)
        saved = Activations(costs, costs.memory, lying, degrees, setting, sizes)
    found = []
    for stage in range(degrees.pp):
        own = owned(weights, stage)
        kept = states(own, largest_layer(weights, parts, stage), setting, degrees.zero)
        sides = hops(degrees.interleave, stage == 0, stage == degrees.pp - 1)
        traffic = Traffic(program, parts, graphs, degrees, setting, stage, sides)
        sends = traffic.transfers(own, weights)
        figures = {
            "parameters": own.all,
            "parameters_cut": own.cut,
            "parameters_whole": own.whole,
            "parameters_experts": own.expert,
            **kept.figures,
            "kv_bytes": cache(parts, graphs, stage) * setting.bytes,
            "communication_bytes": total(one.bytes for one in sends),
        }
        found.append(Stage(stage, layers[stage], figures, sends, sizes, saved))
    return Ranks(degrees, setting, at.get(costs.batch, 1), tuple(found))
