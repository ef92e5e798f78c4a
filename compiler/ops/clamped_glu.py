"""ClampedGlu: a gated unit with limits on both of its maps."""

from collections.abc import Iterator
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.target import RUNTIME
from compiler.ops.activation import FLOPS, Activation, Kind, expression


class ClampedGlu(Operator, signature="gate:*, up:* -> y:*"):
    """`act(gate) * (up + offset)`, the gate cut at `clamp`, `up` at both ends of it (OpenAI 2025).

    `alpha` is the slope of the sigmoid in SiLU: gate * sigmoid(alpha * gate), which is SiLU at 1
    (Ramachandran et al. 2017).
    """

    act: Kind
    clamp: float | None = None
    alpha: float | None = None
    offset: float = 0.0

    def cost(self, n: Sizes) -> Cost:
        added = (self.alpha is not None) + bool(self.offset) + 3 * (self.clamp is not None)
        return Cost(elementwise=(FLOPS[self.act] + 1 + added) * n.y)

    def torch(self, w: Writer) -> str:
        name = w.helper("glu", "\n".join(self._lines(w)))
        return f"{name}({w.gate}, {w.up})"

    def _lines(self, w: Writer) -> Iterator[str]:
        activated, up = expression(self.act, "gate"), "up"
        if self.alpha is not None:
            activated = f"gate * torch.sigmoid({w.constant('ALPHA', self.alpha)} * gate)"
        if self.offset:
            up = f"(up + {w.constant('UP_OFFSET', self.offset)})"
        yield "def {name}(gate: Tensor, up: Tensor) -> Tensor:"
        if self.clamp is None:
            yield '    """A gated unit."""'
        else:
            limit = w.constant("CLAMP", self.clamp)
            yield f'    """A gated unit: the gate at most {limit}, the other map within it."""'
            yield f"    gate, up = gate.clamp(max={limit}), up.clamp(-{limit}, {limit})"
        yield f"    return {activated} * {up}"

    def onnx(self, b: Builder) -> Any:
        gate, up = b.gate, b.up
        if self.clamp is not None:
            low, high = b.number(-self.clamp), b.number(self.clamp)
            gate, up = b.op("Min", gate, high), b.op("Clip", up, low, high)
        if self.alpha is None:
            activated = Activation(self.act).nodes(b, gate)
        elif b.target.fuses:
            activated = b.op("QuickGelu", gate, domain=RUNTIME, alpha=self.alpha)
        else:
            slope = b.op("Mul", gate, b.number(self.alpha))
            activated = b.op("Mul", gate, b.op("Sigmoid", slope))
        return b.op("Mul", activated, b.op("Add", up, b.number(self.offset)) if self.offset else up)
