"""Dispatch and Combine: tokens to their experts and back, none dropped."""

from collections.abc import Sequence
from typing import Any

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, product, value
from compiler.ir.types import TensorType

DISPATCH = '''
def {name}(x_BTD: Tensor, expert_BTA: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A row for each choice, sorted by expert; where every expert's end; the row of each choice."""
    expert = expert_BTA.flatten()
    order = expert.argsort(stable=True)
    chosen = expert[:, None] == torch.arange({E}, device=expert.device)
    end_E = chosen.sum(dim=0).cumsum(dim=0)
    return x_BTD.flatten(0, -2)[order // {A}], end_E, order.argsort().view_as(expert_BTA)
'''

WEIGHED = '''
def {name}(x_BTD: Tensor, expert_BTA: Tensor, share_BTA: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """A row for each choice times its share, sorted by expert; where every expert's end; the row
    of each choice."""
    expert = expert_BTA.flatten()
    order = expert.argsort(stable=True)
    chosen = expert[:, None] == torch.arange({E}, device=expert.device)
    end_E = chosen.sum(dim=0).cumsum(dim=0)
    rows = x_BTD.flatten(0, -2)[order // {A}] * share_BTA.flatten()[order, None]
    return rows.to(x_BTD.dtype), end_E, order.argsort().view_as(expert_BTA)
'''


class Dispatch(
    Operator, signature="x:*D, expert:int*A, share?:*A -> rows:*D, end:intE, place:int*A"
):
    """One row for each of the `A` experts of a token, [rest·A, D], sorted by expert; with `share`
    times that (Llama 4).

    Rows of one expert keep the order of their tokens and end before `end[e]`; `place` has the row
    of every choice. In ONNX `end` holds the number of rows of each expert instead, as Split wants.
    """

    E: Size

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        binding = self.bind(inputs, key)
        choices = (*binding.leading, binding.letters["A"])
        return (
            TensorType("float", (product(choices), binding.letters["D"])),
            TensorType("int", (self.E,)),
            TensorType("int", choices),
        )

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.share * n.D)

    def torch(self, w: Writer) -> str:
        source = WEIGHED if w.has("share") else DISPATCH
        name = w.helper("dispatch", source.format(name="{name}", E=w.dim("E"), A=w.dim("A")))
        given = f"{w.x}, {w.expert}"
        return f"{name}({given}, {w.share})" if w.has("share") else f"{name}({given})"

    def onnx(self, b: Builder) -> Any:
        expert = b.reshape(b.expert, (-1,))
        count = b.op("Shape", expert)
        order = _sorting(b, expert, count)
        token = b.op("Div", order, b.index(value(b.dim("A"))))
        rows = b.op("Gather", b.reshape(b.x, (-1, b.dim("D"))), token, axis=0)
        if b.has("share"):
            share = b.op("Gather", b.reshape(b.share, (-1, 1)), order, axis=0)
            rows = b.op("Mul", rows, share)
        chosen = b.op("Equal", b.op("Unsqueeze", expert, b.ints(1)), b.range(self.E))
        held = b.op("Cast", chosen, to=b.int_type)
        rows_of = b.op("ReduceSum", held, b.ints(0), keepdims=0)
        place = b.reshape(_sorting(b, order, count), (*b.leading, b.dim("A")))
        return rows, rows_of, place


class Combine(Operator, signature="rows:ND, share?:*A, place:int*A -> y:*D"):
    """The sum over a token's choices of `share` times row `place`: what its experts made of it."""

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.rows + n.share * n.D)

    def torch(self, w: Writer) -> str:
        if not w.has("share"):
            return f"{w.rows}[{w.place}].sum(dim=-2)"
        rows = w.named("rows")
        return f"({rows}[{w.place}] * {w.share}[..., None]).sum(dim=-2).to({rows}.dtype)"

    def onnx(self, b: Builder) -> Any:
        chosen = b.op("Gather", b.rows, b.place, axis=0)
        if b.has("share"):
            chosen = b.op("Mul", chosen, b.op("Unsqueeze", b.share, b.ints(-1)))
        return b.op("ReduceSum", chosen, b.ints(-2), keepdims=0)


def _sorting(b: Builder, numbers: Any, count: Any) -> Any:
    """The order that sorts a vector of integers upwards; equals keep theirs, as TopK promises."""
    return b.op("TopK", numbers, count, outputs=2, axis=0, largest=0)[1]
