"""What a spec calls the parts that a family of checkpoints names in its own way."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from archspec.components.attention import Attention
from archspec.components.contrast import Contrast
from archspec.components.conv_stem import ConvStem
from archspec.components.embed import Embed
from archspec.components.linear import Linear
from archspec.components.mlp import Mlp
from archspec.components.moe import Moe
from archspec.components.norm import Norm
from archspec.components.patches import Patches
from archspec.components.pool import Pool
from archspec.components.positions import Positions, Sinusoid
from archspec.components.unembed import Unembed
from archspec.model.stack import Layer, Stack
from archspec.source.frozen import Frozen

if TYPE_CHECKING:
    from archspec.model.spec import Spec


class Names(Frozen):
    """Node and sub-layer names of a model or of its first tower; empty where it has no such part.

    `table` is the parameter with the rows of the tokens, which an embedding of nothing else holds
    itself; `positions` is that of the places, in the embedding or of its own, unless these are
    fixed `waves`. A `stem` is of convolutions. `layers` is how many the stack has. `norm` is what
    the norm of a residual step is called where it stands. `pooler` is the first linear node after
    the stack, as in BERT; a classifier's head is one too. `cross` is an attention to another
    sequence. `gated` is the mlp again, where it has a gate. `project` stands before the stack,
    `transform` and its norm between stack and logits. A `classifier` is a linear node behind the
    stack without an activation, a `probe` a pool by attention, `contrast` what compares two towers,
    `pooled_norm` the last norm, where it stands behind a pool. `decoder` has the same of a second
    tower: what follows the next embedding or image behind the first stack.
    """

    embed: str = ""
    table: str = ".weight"
    positions: str = ".positions.weight"
    waves: bool = False
    patches: str = ""
    stem: str = ""
    stack: str = ""
    layers: int = 0
    norm: str = "norm"
    attention: str = ""
    cross: str = ""
    mlp: str = ""
    gated: str = ""
    moe: str = ""
    final: str = ""
    pooler: str = ""
    head: str = ""
    decoder: "Names | None" = None
    project: str = ""
    transform: str = ""
    transform_norm: str = ""
    classifier: str = ""
    second_classifier: str = ""
    pooled_norm: str = ""
    probe: str = ""
    second_stack: str = ""
    contrast: str = ""

    @property
    def block(self) -> str:
        """The residual step around mixers that stand in parallel."""
        return self.attention.rpartition(".")[0]


def names_of(spec: "Spec") -> Names:
    """The names that the nodes of a spec's graph go by; of several alike the first counts."""
    names = list(spec.graph)
    kinds = [type(node.component) for node in spec.graph.values()]
    stack = kinds.index(Stack) if Stack in kinds else len(kinds)
    heads = (Embed, Patches)
    second = next((n for n, kind in enumerate(kinds) if n > stack and kind in heads), len(kinds))
    whole = _names(spec, names)
    if Stack not in kinds[second:]:
        return whole
    first, decoder = _names(spec, names[:second]), _names(spec, names[second:])
    return replace(whole, cross=first.cross, gated=first.gated, moe=first.moe, decoder=decoder)


def _names(spec: "Spec", nodes: Sequence[str]) -> Names:
    """The names of some nodes, in order."""
    found: dict[str, Any] = {}
    for name in nodes:
        part = spec.graph[name].component
        if isinstance(part, Stack):
            found.setdefault("second_stack" if "stack" in found else "stack", name)
            found.setdefault("layers", len(part.order))
            found.setdefault("norm", _norm(part.variants[0]))
            for layer in part.variants:
                for kind, sublayer in _sublayers(layer).items():
                    found.setdefault(kind, sublayer)
        elif isinstance(part, Embed):
            found.setdefault("embed", name)
            found.setdefault("table", _table(spec, str(part.share or name)))
            if part.positions is not None:
                found.setdefault("positions", f"{name}.positions.weight")
                found.setdefault("waves", isinstance(part.positions, Sinusoid))
        elif isinstance(part, Positions):
            found.setdefault("positions", f"{name}.positions.weight")
        elif isinstance(part, Patches):
            found.setdefault("patches", name)
        elif isinstance(part, ConvStem):
            found.setdefault("stem", name)
        elif isinstance(part, Norm) and "stack" in found:
            found.setdefault("transform_norm" if "transform" in found else "final", name)
            if _is_pooled(spec, name):
                found.setdefault("pooled_norm", name)
        elif isinstance(part, Contrast):
            found.setdefault("contrast", name)
        elif isinstance(part, Pool) and part.attention is not None:
            found.setdefault("probe", name)
        elif isinstance(part, Linear):
            if "stack" in found and part.act is None:
                found.setdefault(
                    "second_classifier" if "classifier" in found else "classifier", name
                )
            found.setdefault(_linear(spec, name) if "stack" in found else "project", name)
        elif isinstance(part, Unembed):
            found.setdefault("head", name)
    if "embed" in found:
        found.setdefault("positions", f"{found['embed']}.positions.weight")
    return Names(**found)


def _table(spec: "Spec", name: str) -> str:
    """The parameter with the rows of an embedding's tokens."""
    part = spec.graph[name].component
    plain = isinstance(part, Embed) and not spec.dropout.embed and _is_plain(part)
    return f"{name}.weight" if plain else f"{name}.tokens.weight"


def _linear(spec: "Spec", name: str) -> str:
    """What a linear node behind the stack is: of a head for every token, or a pooler's."""
    heads = any(isinstance(node.component, Unembed) for node in spec.graph.values())
    return "transform" if heads and not _is_behind_pool(spec, name) else "pooler"


def _is_behind_pool(spec: "Spec", name: str) -> bool:
    """Whether a node reads a pool, itself or through linear nodes."""
    above = spec.graph[name].inputs[0]
    through = above in spec.graph and isinstance(spec.graph[above].component, Linear)
    return _is_pooled(spec, name) or (through and _is_behind_pool(spec, above))


def _is_pooled(spec: "Spec", name: str) -> bool:
    """Whether a node reads a pool."""
    above = spec.graph.get(spec.graph[name].inputs[0])
    return above is not None and isinstance(above.component, Pool)


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
    """The first attention, cross-attention, mlp and mixture of experts of a layer, by the paths
    below it."""
    found: dict[str, str] = {}
    for sublayer in layer.sublayers.values():
        for name, mixer in sublayer.mixers.items():
            path = f"{sublayer.name}.{name}" if sublayer.parallel else name
            if isinstance(mixer.component, Attention):
                across = mixer.component.source != "self"
                found.setdefault("cross" if across else "attention", path)
            elif isinstance(mixer.component, Mlp):
                found.setdefault("mlp", path)
                found |= {"gated": path} if mixer.component.gated else {}
            elif isinstance(mixer.component, Moe):
                found.setdefault("moe", path)
    return found
