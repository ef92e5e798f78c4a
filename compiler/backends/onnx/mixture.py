"""A mixture of gated experts as one node of ONNX Runtime's own, for a device.

There rows cannot be sent to products of their own without a look at the numbers from the host. On a
CPU they can, and a decoding step reads no expert that it does not need: there a product for each.
"""

from collections.abc import Mapping
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.listing import Element, Weight
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.spot import Spot
from compiler.ir.graph import Call, Entry, Graph, Node
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ir.target import BITS, RUNTIME, Target
from compiler.ops import (
    Activation,
    ClampedGlu,
    Combine,
    Dispatch,
    GroupedLinear,
    Multiply,
    Router,
    Split,
)

FAR: Final = -1e30
"""The score of an expert that was not chosen: nothing is left of it after a softmax."""

NO_LIMIT: Final = 1e30


class Mixture(Frozen):
    """Experts of one shape that are SwiGLUs: the two maps and what is between them."""

    wide: Node
    narrow: Node
    glu: Mapping[str, float]

    @property
    def maps(self) -> tuple[GroupedLinear, GroupedLinear]:
        """The joined map of gate and up, and the one down."""
        wide, narrow = self.wide.what, self.narrow.what
        assert isinstance(wide, GroupedLinear) and isinstance(narrow, GroupedLinear)
        return wide, narrow


def mixture(program: Program, graph: Graph, node: Node, target: Target) -> Mixture | None:
    """The experts that the call `node` of `graph` stands for, where one node can compute them on
    `target`: shares are above zero, and weights are floats."""
    if target.provider != "cuda" or target.precision in BITS or target.choices:
        return None
    shared = node.inputs[1] if len(node.inputs) == 3 else None
    router = graph[shared.node].what if shared is not None else None
    if not isinstance(router, Router) or not (router.score or router.after_topk):
        return None
    assert isinstance(node.what, Call)
    called = program.graphs[node.what.graph]
    nodes = [each for each in called if not isinstance(each.what, Entry)]
    match [node.what for node in nodes]:
        case [
            Dispatch(),
            GroupedLinear(parts=(("gate", _), ("up", _))),
            Split(),
            Activation(kind="silu"),
            Multiply(),
            GroupedLinear(),
            Combine(),
        ]:
            glu = {"activation_alpha": 1.0, "activation_beta": 0.0, "swiglu_limit": NO_LIMIT}
        case [
            Dispatch(),
            GroupedLinear(parts=(("gate", _), ("up", _))),
            Split(),
            ClampedGlu(act="silu") as unit,
            GroupedLinear(),
            Combine(),
        ]:
            glu = {
                "activation_alpha": 1.0 if unit.alpha is None else unit.alpha,
                "activation_beta": unit.offset,
                "swiglu_limit": NO_LIMIT if unit.clamp is None else unit.clamp,
            }
        case _:
            return None
    weighs_before = nodes[0].inputs[2] is not None
    return None if weighs_before else Mixture(nodes[1], nodes[-2], glu)


def write_mixture(
    sheet: Sheet, program: Program, found: Mixture, given: list[Any], spot: Spot
) -> str:
    """Write the node down; `given` are the tokens [B, T, D], and the shares and numbers of the
    experts of each [B, T, A]. Their shares may add up to anything."""
    x, share, expert = given
    wide, narrow = found.maps
    experts, active = (value(program.key.fix(size)) for size in (wide.E, wide.A))
    here = spot.below("moe")

    def step(kind: str, *inputs: str, **attributes: Any) -> str:
        return sheet.step(here, kind, inputs, 1, attributes)[0]

    def ints(*numbers: int) -> str:
        return sheet.constant(here, Element.int64, numbers, vector=True)

    rows = step("Concat", step("Shape", x, start=0, end=2), ints(experts), axis=0)
    low = sheet.constant(here, Element.float32, (FAR,), vector=False)
    none = step("Expand", low, rows)
    scores = step("ScatterElements", none, expert, step("Log", share), axis=-1)
    weights: list[str | None] = []
    for node, operator, woven in ((found.wide, wide, 2), (found.narrow, narrow, 1)):
        shape = (experts, value(program.key.fix(operator.O)), _inputs(program, found, node))
        weights.append(_stack(sheet, spot.below(node.id), "weight", shape, woven))
        bias = (
            _stack(sheet, spot.below(node.id), "bias", shape[:2], woven) if operator.bias else None
        )
        weights.append(bias)
    (mixed,) = sheet.step(
        here,
        "MoE",
        (x, step("Reshape", scores, ints(-1, experts)), *weights),
        1,
        {
            "k": active,
            "activation_type": "swiglu",
            "swiglu_fusion": 1,
            "normalize_routing_weights": 1,
            **found.glu,
        },
        RUNTIME,
    )
    return step("Mul", mixed, step("ReduceSum", share, ints(-1), keepdims=1))


def _inputs(program: Program, found: Mixture, node: Node) -> int:
    """How wide the rows of a map are: those of the narrow one come from half of the wide one."""
    wide, narrow = (value(program.key.fix(each.O)) for each in found.maps)
    return wide // 2 if node is found.narrow else narrow


def _stack(sheet: Sheet, spot: Spot, name: str, shape: tuple[int, ...], woven: int) -> str:
    path = f"{spot.owner}.{name}"
    held = f"{path}.woven" if woven > 1 else path
    weight = Weight(held, path, shape, copies=spot.copies, woven=woven)
    sheet.listing.weights.setdefault(held, weight)
    return held
