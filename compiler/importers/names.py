"""What a spec calls the parts that a family of checkpoints names in its own way."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from archspec.components.attention import Attention
from archspec.components.embed import Embed
from archspec.components.linear import Linear
from archspec.components.mlp import Mlp
from archspec.components.moe import Moe
from archspec.components.norm import Norm
from archspec.components.patches import Patches
from archspec.components.positions import Positions
from archspec.components.unembed import Unembed
from archspec.model.stack import Layer, Stack

if TYPE_CHECKING:
    from archspec.model.spec import Spec


@dataclass(frozen=True)
class Names:
    """Node and sub-layer names of a one-tower model; empty where it has no such part.

    `table` is the parameter with the rows of the tokens, which an embedding of nothing else holds
    itself; `positions` is that of the places, in the embedding or of its own. `norm` is what the
    norm of a residual step is called where it stands. `pooler` is the first linear node after the
    stack, as in BERT; a classifier's head is one too.
    """

    embed: str = ""
    table: str = ""
    positions: str = ""
    patches: str = ""
    stack: str = ""
    norm: str = "norm"
    attention: str = ""
    mlp: str = ""
    moe: str = ""
    final: str = ""
    pooler: str = ""
    head: str = ""

    @property
    def block(self) -> str:
        """The residual step around mixers that stand in parallel."""
        return self.attention.rpartition(".")[0]


def names_of(spec: "Spec") -> Names:
    """The names that the nodes of a spec's graph go by; of several alike the first counts."""
    found: dict[str, str] = {}
    for name, node in spec.graph.items():
        part = node.component
        if isinstance(part, Stack):
            found.setdefault("stack", name)
            found.setdefault("norm", _norm(part.variants[0]))
            for layer in part.variants:
                for kind, sublayer in _sublayers(layer).items():
                    found.setdefault(kind, sublayer)
        elif isinstance(part, Embed):
            found.setdefault("embed", name)
            plain = not spec.dropout.embed and _is_plain(part)
            found.setdefault("table", f"{name}.weight" if plain else f"{name}.tokens.weight")
            if part.positions is not None:
                found.setdefault("positions", f"{name}.positions.weight")
        elif isinstance(part, Positions):
            found.setdefault("positions", f"{name}.positions.weight")
        elif isinstance(part, Patches):
            found.setdefault("patches", name)
        elif isinstance(part, Norm) and "stack" in found:
            found.setdefault("final", name)
        elif isinstance(part, Linear) and "stack" in found:
            found.setdefault("pooler", name)
        elif isinstance(part, Unembed):
            found.setdefault("head", name)
    if "embed" in found:
        found.setdefault("positions", f"{found['embed']}.positions.weight")
    known = {field.name for field in fields(Names)}
    return Names(**{kind: name for kind, name in found.items() if kind in known})


def _is_plain(part: Embed) -> bool:
    """Whether an embedding is the rows of its table and nothing else."""
    beside = (part.positions, part.types, part.norm, part.project, part.mask_pads)
    return part.scale == 1.0 and not any(beside)


def _norm(layer: Layer) -> str:
    """The canonical name of the norm that the first residual step with one has."""
    places = {"pre": "norm", "out": "out_norm", "post": "post_norm"}
    steps = (sublayer.norm_at for sublayer in layer.sublayers.values())
    return next((n for at in steps for place, n in places.items() if place in at), "norm")


def _sublayers(layer: Layer) -> dict[str, str]:
    """The first attention, mlp and mixture of experts of a layer, by the paths below it."""
    found: dict[str, str] = {}
    for sublayer in layer.sublayers.values():
        for name, mixer in sublayer.mixers.items():
            path = f"{sublayer.name}.{name}" if sublayer.parallel else name
            if isinstance(mixer.component, Attention):
                found.setdefault("attention", path)
            elif isinstance(mixer.component, Mlp):
                found.setdefault("mlp", path)
            elif isinstance(mixer.component, Moe):
                found.setdefault("moe", path)
    return found
