"""A mixture of gated experts as one node of ONNX Runtime's own, where it has one that pays.

On a device rows cannot be sent to products of their own without a look at the numbers from the
host. On a CPU they can, and a decoding step reads no expert that it does not need: in floats a
product for each expert is as fast there, in integers one node is faster.
"""

from collections.abc import Mapping, Sequence
from math import lcm
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.expert_stack import ExpertStack
from compiler.backends.onnx.listing import Element
from compiler.backends.onnx.products import INT8_PRODUCTS
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.spot import Spot
from compiler.ir.graph import Call, Entry, Graph, Node
from compiler.ir.integers import Integers
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ir.target import RUNTIME, Target
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

TILE: Final = 64
"""The inputs of a matrix that CUDA's node for integers takes at once."""

LINE: Final = 8
"""What the inputs of a matrix are a multiple of in CUDA's node for floats: 16 bytes in 16 bits."""

LEAST: Final = 16
"""The fewest that they may be."""


class Mixture(Frozen):
    """Experts of one shape that are SwiGLUs: the joined map of gate and up, the one down, and what
    is between them. Both are rounded to `integers`, or floats where that is None."""

    wide: ExpertStack
    narrow: ExpertStack
    glu: Mapping[str, float]
    active: int
    integers: Integers | None


def mixture(
    program: Program, graph: Graph, node: Node, target: Target, spot: Spot
) -> Mixture | None:
    """The experts that the call `node` of `graph` stands for, where one node can compute them on
    `target`: shares are above zero, and every matrix is held alike."""
    if not target.fuses:
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
    if nodes[0].inputs[2] is not None:
        return None
    wide, narrow = nodes[1].what, nodes[-2].what
    assert isinstance(wide, GroupedLinear) and isinstance(narrow, GroupedLinear)
    count, hidden, width, active = (
        value(program.key.fix(size)) for size in (wide.E, wide.O, narrow.O, wide.A)
    )
    up, down = (spot.below(each.id) for each in (nodes[1], nodes[-2]))
    stacks = (
        ExpertStack(up.owner, count, hidden, width, 2, wide.bias, spot.copies),
        ExpertStack(down.owner, count, width, hidden // 2, 1, narrow.bias, spot.copies),
    )
    kinds = stacks[0].integers(target) | stacks[1].integers(target)
    integers = kinds.pop()
    takes = _computes(stacks, target) if integers is None else _rounds(integers, stacks, target)
    return Mixture(*stacks, glu, active, integers) if takes and not kinds else None


def _computes(stacks: Sequence[ExpertStack], target: Target) -> bool:
    """Whether the node for floats takes these: on a device, in whole lines."""
    wide = all(not stack.inputs % LINE and stack.inputs >= LEAST for stack in stacks)
    return target.provider == "cuda" and wide


def _rounds(integers: Integers, stacks: Sequence[ExpertStack], target: Target) -> bool:
    """Whether the node for integers takes these: whole blocks, and on a device whole tiles, and
    zeros that fill their bytes, as it looks for every expert's right behind those before."""
    if integers.block is None:
        return False
    whole = integers.block
    if target.provider == "cuda":
        packed = integers.rounding == "zero-point" and integers.bits < 8
        whole = lcm(integers.block * (2 if packed else 1), TILE)
    return not any(stack.inputs % whole for stack in stacks)


def write_mixture(
    sheet: Sheet, found: Mixture, given: list[Any], spot: Spot, target: Target
) -> str:
    """Write the node down; `given` are the tokens [B, T, D], and the shares and numbers of the
    experts of each [B, T, A]. Their shares may add up to anything."""
    x, share, expert = given
    experts = found.wide.experts
    here = spot.below("moe")

    def step(kind: str, *inputs: str, **attributes: Any) -> str:
        return sheet.step(here, kind, inputs, 1, attributes)[0]

    def ints(*numbers: int) -> str:
        return sheet.constant(here, Element.int64, numbers, vector=True)

    def spread(missing: float, chosen: str) -> str:
        """What is chosen of each token, at its expert, [B·T, E]."""
        rows = step("Concat", step("Shape", x, start=0, end=2), ints(experts), axis=0)
        low = sheet.constant(here, Element.float32, (missing,), vector=False)
        every = step("ScatterElements", step("Expand", low, rows), expert, chosen, axis=-1)
        return step("Reshape", every, ints(-1, experts))

    def mixed(kind: str, *inputs: str | None, **attributes: Any) -> str:
        units: dict[str, Any] = {"activation_type": "swiglu", "swiglu_fusion": 1, **found.glu}
        said = {"k": found.active, **units, **attributes}
        return sheet.step(here, kind, inputs, 1, said, RUNTIME)[0]

    def by_scores(kind: str, *held: str | None, **attributes: Any) -> str:
        """With a node that makes shares of scores: those that it makes add up to one."""
        scores = spread(FAR, step("Log", share))
        y = mixed(kind, x, scores, *held, normalize_routing_weights=1, **attributes)
        return step("Mul", y, step("ReduceSum", share, ints(-1), keepdims=1))

    stacks = (found.wide, found.narrow)
    if found.integers is None:
        floats = [held for stack in stacks for held in (stack.weight(sheet), stack.bias(sheet))]
        return by_scores("MoE", *floats)
    rounded: list[str | None] = []
    zeros: list[str | None] = []
    for stack in stacks:
        codes, scales, zero = stack.rounded(sheet, found.integers)
        rounded += [codes, scales, stack.bias(sheet)]
        zeros.append(zero)
    blocks = {
        "expert_weight_bits": found.integers.bits,
        "block_size": found.integers.block,
        "weights_prepacked": 0,
    }
    held = (*rounded, None, None, None, *zeros)
    if target.provider == "cuda":
        return by_scores("QMoE", *held, **blocks)
    shares = spread(0.0, share)
    whole = (x, shares, *held, None, shares)
    return mixed("QMoE", *whole, accuracy_level=INT8_PRODUCTS, **blocks)
