"""The inputs of a model as graph inputs, and which of them a decoder grows."""

from archspec.components.attention import Attention
from archspec.components.pool import Pool
from archspec.model.input import Input
from archspec.model.spec import Node, Spec
from archspec.model.stack import Stack
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
        case _:
            width = found.shape[-1]
            size = letters.fixed("width", int(width), getattr(width, "said", ""))
            return TensorType("float", (batch, positions, size))


def grown_input(spec: Spec) -> str:
    """The input that a decoder with a cache grows: tokens that reach causal attention and keep their positions.

    Empty where there is none, where there are several, or where a causal attention cannot keep its keys.
    """
    origin = origins(spec)
    causal: set[str] = set()
    for name, node in spec.graph.items():
        found = [component for component in attentions(node) if component.mask == "causal"]
        if any(not cacheable(component) for component in found):
            return ""
        if found:
            causal.add(origin[name])
    pooled = {
        origin[node.inputs[0]] for node in spec.graph.values() if isinstance(node.component, Pool)
    }
    if len(causal) != 1 or causal & pooled:
        return ""
    (grown,) = causal
    return grown if grown in spec.inputs and spec.inputs[grown].kind == "tokens" else ""


def origins(spec: Spec) -> dict[str, str]:
    """The model input at the head of each edge's main path."""
    origin = {name: name for name in spec.inputs}
    for name, node in spec.graph.items():
        origin[name] = origin.get(node.inputs[0], "") if node.inputs else ""
    return origin


def attentions(node: Node) -> list[Attention]:
    """Every attention within a node."""
    if not isinstance(node.component, Stack):
        return [node.component] if isinstance(node.component, Attention) else []
    subs = [sub for layer in node.component.variants for sub in layer.sublayers.values()]
    found = [mixer.component for sub in subs for mixer in sub.mixers.values()]
    return [component for component in found if isinstance(component, Attention)]


def _channels(count: int, letters: Letters) -> Poly:
    return as_poly(count) if count < 10 else letters.fixed("width", count, "", "channels")
