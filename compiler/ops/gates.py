"""The three recurrent cells as torch and ONNX know them: gates, their order, names, work."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from archspec.source.frozen import Frozen
from compiler.ir.rules import Builder
from compiler.ir.size import Poly, Size, as_poly, product, value

Kind = Literal["gru", "lstm", "rnn"]


class Gates(Frozen):
    """What a cell is made of.

    Attributes:
        torch: its class in `torch.nn`, of which the cell of one step is called `<torch>Cell`.
        onnx: its operator in ONNX.
        order: where ONNX's gates stand among torch's; their number is the number of gates.
        elementwise: FLOPs a coordinate of the state and step, by the constants of `Activation`.
        linear_before_reset: whether the reset gate acts behind the product, as ONNX asks of a GRU.
    """

    torch: str
    onnx: str
    order: tuple[int, ...]
    elementwise: int
    linear_before_reset: bool = False

    @property
    def count(self) -> int:
        """How many gates there are."""
        return len(self.order)


GATES: Final[dict[Kind, Gates]] = {
    # torch: reset, update, new; ONNX: update, reset, new.
    "gru": Gates("GRU", "GRU", (1, 0, 2), 25, linear_before_reset=True),
    # torch: input, forget, cell, output; ONNX: input, output, forget, cell.
    "lstm": Gates("LSTM", "LSTM", (0, 3, 1, 2), 34),
    "rnn": Gates("RNN", "RNN", (0,), 8),
}
"""The elementwise figures hold two biases a gate, an addition a gate and the activations."""


def products(kind: Kind, rows: Sequence[Size], read: Size, state: Size) -> Poly:
    """FLOPs of the matrix products of `rows` steps that read `read` values beside the state."""
    return 2 * product((*rows, GATES[kind].count, state)) * (read + state)


def gradients(kind: Kind, rows: Size, read: Size, state: Size, inputs: Size, states: Size) -> Poly:
    """FLOPs of the products that gradients of `products` over `rows` steps take.

    Those of the weights take as many as forward; `inputs` and `states` say at how many steps what
    is read and the state before it get one.
    """
    each, state = 2 * GATES[kind].count * as_poly(state), as_poly(state)
    return products(kind, (rows,), read, state) + each * (inputs * as_poly(read) + states * state)


def onnx_step(
    b: Builder, kind: Kind, x: Any, held: Sequence[Any], lengths: Any, names: Sequence[str]
) -> Any:
    """One layer over [T, B, I], each way by its suffix in `names`, as ONNX's own operator.

    `held` are the first states [ways, B, D], None for zeros. Returns [T, ways, B, D] and the last
    states [ways, B, D].
    """
    gates = GATES[kind]
    layer = names[0].removesuffix("_reverse")
    weights = [
        b.blocks(f"{letter}{layer}", [[f"{p}{name}" for p in parts] for name in names], gates.order)
        for letter, parts in (
            ("W", ("weight_ih",)),
            ("R", ("weight_hh",)),
            ("B", ("bias_ih", "bias_hh")),
        )
    ]
    options: dict[str, Any] = {"linear_before_reset": 1} if gates.linear_before_reset else {}
    return b.op(
        gates.onnx,
        x,
        *weights,
        lengths,
        *held,
        outputs=1 + len(held),
        hidden_size=value(b.dim("D")),
        direction="bidirectional" if len(names) == 2 else "forward",
        **options,
    )
