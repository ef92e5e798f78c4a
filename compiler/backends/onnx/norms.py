"""Sums, and norms, which on ONNX Runtime's own targets take over the sum that they are of."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from compiler.backends.onnx.listing import Step
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.spot import Spot
from compiler.ir.target import RUNTIME

if TYPE_CHECKING:
    from compiler.backends.onnx.builder import Nodes

RMS: Final = "RMSNormalization"
SKIP: Final = {
    "LayerNormalization": "SkipLayerNormalization",
    RMS: "SkipSimplifiedLayerNormalization",
}
SLOW: Final = {("cpu", "LayerNormalization")}
"""Norms whose kernel is slower together with the sum: on a CPU that one goes number by number, and
takes six times as long as a sum and a norm."""


def summed(nodes: "Nodes", x: str, y: str) -> str:
    """`x + y` of one shape; on a CPU by a node that the runtime will not put into a norm itself."""
    made: str = nodes.op("Sum" if nodes.target.provider == "cpu" else "Add", x, y)
    return made


def normed(
    nodes: "Nodes", sheet: Sheet, spot: Spot, kind: str, x: str, weights: Sequence[str], eps: float
) -> Any:
    """The norm `kind` of `x` with a gain and perhaps a bias.

    Where the target allows it and gains by it, one node makes it together with the sum that `x` is,
    a residual step. What else reads the sum reads it from that node. RMS norm is called
    SimplifiedLayerNormalization there, which runtimes before operator set 23 have.
    """
    if not nodes.target.fuses:
        return nodes.op(kind, x, *weights, axis=-1, epsilon=eps)
    parts = None if (nodes.target.provider, kind) in SLOW else _taken(sheet, x)
    if parts is None:
        own = "SimplifiedLayerNormalization" if kind == RMS else kind
        return nodes.op(own, x, *weights, axis=-1, epsilon=eps)
    stream, branch = parts
    plain, bias = sheet.biased(branch) or (branch, None)
    given = (*weights, None) if kind == "LayerNormalization" and len(weights) == 1 else weights
    inputs = [each or "" for each in (stream, plain, *given, bias)]
    while not inputs[-1]:
        inputs.pop()
    name = sheet.unique(f"{spot.nodes}/{SKIP[kind]}")
    made = (name, "", "", x)
    step = Step(name, SKIP[kind], tuple(inputs), made, {"epsilon": eps}, RUNTIME, {}, spot.span)
    sheet.steps.append(step)
    return name


def _taken(sheet: Sheet, x: str) -> tuple[str, str] | None:
    """The two values whose sum `x` is, whose node is gone then; None where another node stands in
    the way or reads the sum before."""
    if x not in sheet.sums:
        return None
    for at in range(len(sheet.steps) - 1, -1, -1):
        step = sheet.steps[at]
        if x in step.made:
            del sheet.steps[at]
            return sheet.sums.pop(x)
        if not isinstance(step, Step) or x in step.read:
            return None
    return None
