"""What a recurrence carries from step to step, as inputs and outputs of a model file."""

from typing import Any, ClassVar

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer


class PastState(Operator, signature="slot:* -> h:*"):
    """The state in which the last step has left `slot`."""

    view: ClassVar[bool] = True

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        return w.slot

    def onnx(self, b: Builder) -> Any:
        return b.past_state("slot")


class PresentState(Operator, signature="h:*, slot:* -> h:*"):
    """The state behind a step, which goes to `slot` and comes out again; in the file of an encoder,
    that before the first step of its decoder."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(state=n.h)

    def torch(self, w: Writer) -> str:
        return f"{w.slot}.copy_({w.h})"

    def onnx(self, b: Builder) -> Any:
        return b.op("Identity", b.h, named=(b.present_state("slot"),))
