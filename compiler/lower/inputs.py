"""The inputs of a model as graph inputs, and which of them a decoder grows."""

from collections.abc import Mapping

from archspec.components.attention import Attention
from archspec.components.component import Component
from archspec.components.concat import Concat
from archspec.components.embed import Embed
from archspec.components.positions import Learned
from archspec.model.input import Input
from archspec.model.spec import Node, Spec
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, as_poly
from compiler.ir.types import TensorType
from compiler.lower.attention import cacheable


def input_type(found: Input, letters: Letters, positions: Poly) -> TensorType:
    """The type of an input; `positions` is the letter of its free axis."""
    batch = letters.free("batch")
    match found.kind:
        case "tokens":
            return TensorType("int", (batch, positions))
        case "image":
            channels, height, width = found.shape
            sides = [
                letters.fixed("image", int(side), getattr(side, "said", ""))
                for side in (height, width)
            ]
            return TensorType("float", (batch, _channels(int(channels), letters), *sides))
        case "frames":
            mels = found.shape[0]
            said = getattr(mels, "said", "")
            wide = letters.fixed("frame", int(mels), said)
            return TensorType("float", (batch, wide, positions))
        case "count":
            return TensorType("int", (batch,))
        case "mask":
            raise ValueError("a mask has the positions of other inputs")
        case _:
            width = found.shape[-1]
            size = letters.fixed("width", int(width), getattr(width, "said", ""))
            return TensorType("float", (batch, positions, size))


def grown_input(spec: Spec) -> str:
    """The input that a decoder with a cache grows: tokens on whose path attention is causal.

    Empty where there is none or several, and where a step would need more of the path than the
    cache keeps: keys of another attention, a convolution's earlier positions, a pool's whole
    sequence.
    """
    origin = origins(spec)
    causal = {
        origin[name]
        for name, node in spec.graph.items()
        if any(found.mask == "causal" for found in attentions(node))
    }
    if len(causal) != 1:
        return ""
    (grown,) = causal
    if grown not in spec.inputs or spec.inputs[grown].kind != "tokens":
        return ""
    kept = all(_keeps(node, origin[name], origin, grown) for name, node in spec.graph.items())
    return grown if kept else ""


def _keeps(node: Node, own: str, origin: Mapping[str, str], grown: str) -> bool:
    """Whether a node needs nothing of the path of `grown` that a cache does not keep."""
    reads = any(origin.get(edge) == grown for edge in node.inputs)
    if reads and not all(stepwise(found) for found in node.components):
        return False
    if reads and _counts_ids(node):
        return False
    return all(
        cacheable(found)
        for found in attentions(node)
        if (own if found.source == "self" else origin[found.source]) == grown
    )


def _counts_ids(node: Node) -> bool:
    """Whether places are counted by ids, of which a cache keeps none."""
    table = node.component.positions if isinstance(node.component, Embed) else None
    return isinstance(table, Learned) and table.from_ == "nonpad"


def stepwise(component: Component) -> bool:
    """Whether new positions need no earlier ones, or only keys and values that a cache may keep."""
    if isinstance(component, Concat):
        return component.axis == "feature"
    return component.positionwise or isinstance(component, Attention)


def origins(spec: Spec) -> dict[str, str]:
    """The model input at the head of each edge's main path."""
    origin = {name: name for name in spec.inputs}
    for name, node in spec.graph.items():
        origin[name] = origin.get(node.inputs[0], "") if node.inputs else ""
    return origin


def attentions(node: Node) -> list[Attention]:
    """Every attention within a node."""
    return [found for found in node.components if isinstance(found, Attention)]


def _channels(count: int, letters: Letters) -> Poly:
    return as_poly(count) if count < 10 else letters.fixed("width", count, "", "channels")
