"""Recurrence over a whole sequence: layers of cells, one or both ways, as in torch and ONNX."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, Protocol, TypeAlias

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Parameter
from compiler.ir.reach import EVERYWHERE, Reach
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size, as_poly, product, value
from compiler.ir.types import TensorType
from compiler.ops.gates import GATES, Kind, gradients, onnx_step, products

PACKED: Final = '''
def {name}(
    run: nn.Module,
    x_BTI: Tensor,
    real_BT: Tensor,
    start: Tensor | tuple[Tensor, Tensor] | None = None,
) -> tuple[Tensor, Tensor]:
    """`run` over the real positions that each row begins with, at least one; zeros behind them."""
    if not x_BTI.shape[0]:  # torch packs nothing
        return run(x_BTI, start)
    lengths_B = real_BT.sum(dim=1).clamp(min=1).cpu()
    rows = nn.utils.rnn.pack_padded_sequence(
        x_BTI, lengths_B, batch_first=True, enforce_sorted=False
    )
    y, last = run(rows, start)
    y_BTO, _ = nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=x_BTI.shape[1])
    return y_BTO, last
'''


class Recurrence(Operator, signature="x:BTI, h?:NBD, real?:bool BT -> y:BTO, h:NBD"):
    """`layers` of gated (Cho et al. 2014, as cuDNN computes them: the reset behind the product) or
    plain cells (Elman 1990), D wide, `ways` ways.

    Starts from `h`, layer by layer and way by way, or from zeros; gives the states of the last
    layer, O = ways·D wide, and the last state of each. With `real` the padding that a row ends in
    is not read: there the output is zero.
    """

    ordered: ClassVar[bool] = True

    D: Size
    O: Size
    N: Size
    kind: Literal["gru", "rnn"]
    layers: int = 1
    ways: int = 1

    def parameters(self, inputs: Sequence[TensorType | None], key: Letters) -> dict[str, Parameter]:
        return layer_parameters(self, self.kind, self.bind(inputs, key).letters, key)

    def cost(self, n: Sizes) -> Cost:
        return _cost(self, self.kind, n)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        return _backward(self, self.kind, n, moved)

    def reach(self, port: str, key: Letters) -> Reach:
        return _reach(self, port)

    def module(self, w: Writer) -> str:
        return _module(self, self.kind, w)

    def torch(self, w: Writer) -> str:
        return _call(w, w.h if w.has("h") else "")

    def onnx(self, b: Builder) -> Any:
        return _layers(self, self.kind, b, (b.h if b.has("h") else None,))


class LstmRecurrence(
    Operator, signature="x:BTI, h?:NBD, c?:NBD, real?:bool BT -> y:BTO, h:NBD, c:NBD"
):
    """`layers` of LSTM cells (Hochreiter & Schmidhuber 1997; Gers et al. 2000), D wide.

    As `Recurrence`, with a cell `c` beside every state.
    """

    ordered: ClassVar[bool] = True

    D: Size
    O: Size
    N: Size
    layers: int = 1
    ways: int = 1

    def parameters(self, inputs: Sequence[TensorType | None], key: Letters) -> dict[str, Parameter]:
        return layer_parameters(self, "lstm", self.bind(inputs, key).letters, key)

    def cost(self, n: Sizes) -> Cost:
        return _cost(self, "lstm", n)

    def backward(self, n: Sizes, moved: Collection[str], *, fused: bool) -> Size:
        return _backward(self, "lstm", n, moved)

    def reach(self, port: str, key: Letters) -> Reach:
        return _reach(self, port)

    def module(self, w: Writer) -> str:
        return _module(self, "lstm", w)

    def targets(self, names: Sequence[str]) -> str:
        y, h, c = names
        return f"{y}, _" if h == c == "_" else f"{y}, ({h}, {c})"

    def torch(self, w: Writer) -> str:
        return _call(w, f"({w.h}, {w.c})" if w.has("h") else "")

    def onnx(self, b: Builder) -> Any:
        return _layers(self, "lstm", b, (b.h, b.c) if b.has("h") else (None, None))


class Layered(Protocol):
    """A recurrence of `layers` layers that runs `ways` ways."""

    @property
    def layers(self) -> int: ...
    @property
    def ways(self) -> int: ...


AnyRecurrence: TypeAlias = Recurrence | LstmRecurrence
"""A recurrence over a whole sequence, whatever its cells are."""


def _suffixes(operator: Layered, layer: int) -> list[str]:
    """What torch puts behind the names of a layer's parameters."""
    return [f"_l{layer}", f"_l{layer}_reverse"][: operator.ways]


def layer_parameters(
    operator: Layered, kind: Kind, letters: Mapping[str, Poly], key: Letters
) -> dict[str, Parameter]:
    """The parameters of all layers, as torch calls them; `letters` has the widths D, I and O."""
    D = letters["D"]
    init = Init("uniform", value(key.fix(D)) ** -0.5)
    found: dict[str, Parameter] = {}
    for name, read in _each(operator, letters):
        rows = GATES[kind].count * D
        shapes: dict[str, tuple[Size, ...]] = {"weight_ih": (rows, read), "weight_hh": (rows, D)}
        shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        found |= {f"{part}{name}": Parameter(shape, init) for part, shape in shapes.items()}
    return found


def _each(operator: Layered, letters: Mapping[str, Poly]) -> Iterator[tuple[str, Poly]]:
    """The suffix of each layer and way, and how wide what it reads is."""
    for layer in range(operator.layers):
        for name in _suffixes(operator, layer):
            yield name, letters["O"] if layer else letters["I"]


def _cost(operator: AnyRecurrence, kind: Kind, n: Sizes) -> Cost:
    reads = [n.O if layer else n.I for layer in range(operator.layers)]
    work = sum((products(kind, (n.B, n.T, operator.ways), r, n.D) for r in reads), as_poly(0))
    states = product((n.B, n.T, n.D, operator.layers * operator.ways))
    return Cost(
        matmul=work, elementwise=GATES[kind].elementwise * states, steps=operator.layers * n.T
    )


def _backward(operator: AnyRecurrence, kind: Kind, n: Sizes, moved: Collection[str]) -> Poly:
    """The state before the first step gets a gradient only where it is given."""
    rows, begun = n.B * n.T * operator.ways, n.B * operator.ways
    states = rows if "h" in moved else rows - begun
    inputs = rows if "x" in moved else as_poly(0)
    first = gradients(kind, rows, n.I, n.D, inputs, states)
    return first + (operator.layers - 1) * gradients(kind, rows, n.O, n.D, rows, states)


def _reach(operator: Layered, port: str) -> Reach:
    if port in ("h", "c"):
        return EVERYWHERE
    return Reach(None, None if operator.ways == 2 else 0, stepwise=True)


def _module(operator: AnyRecurrence, kind: Kind, w: Writer) -> str:
    options = [f"num_layers={operator.layers}"] if operator.layers > 1 else []
    options += ["batch_first=True"]
    options += ["bidirectional=True"] if operator.ways == 2 else []
    return f"nn.{GATES[kind].torch}({w.dim('I')}, {w.dim('D')}, {', '.join(options)})"


def _call(w: Writer, start: str) -> str:
    given = f", {start}" if start else ""
    if w.has("real"):
        return f"{w.helper('packed', PACKED)}({w.self}, {w.x}, {w.real}{given})"
    return f"{w.self}({w.x}{given})"


def _layers(
    operator: AnyRecurrence, kind: Kind, b: Builder, start: Sequence[Any]
) -> tuple[Any, ...]:
    lengths = _lengths(b) if b.has("real") else None
    x, ends = onnx_layers(operator, kind, b, b.op("Transpose", b.x, perm=[1, 0, 2]), start, lengths)
    return (b.op("Transpose", x, perm=[1, 0, 2]), *ends)


def onnx_layers(
    operator: Layered, kind: Kind, b: Builder, x: Any, start: Sequence[Any], lengths: Any
) -> tuple[Any, list[Any]]:
    """All layers over [T, B, I] from the first states [N, B, D] or None: [T, B, O], the last
    states."""
    last: list[Sequence[Any]] = []
    for layer in range(operator.layers):
        held = [_part(operator, b, states, layer) for states in start]
        y, *states = onnx_step(b, kind, x, held, lengths, _suffixes(operator, layer))
        last.append(states)
        if operator.ways == 1:
            x = b.op("Squeeze", y, b.ints(1))
        else:
            x = b.op("Reshape", b.op("Transpose", y, perm=[0, 2, 1, 3]), b.ints(0, 0, -1))
    ends = list(zip(*last, strict=True))
    return x, [each[0] if len(each) == 1 else b.op("Concat", *each, axis=0) for each in ends]


def _part(operator: Layered, b: Builder, states: Any, layer: int) -> Any:
    """The first states of one layer."""
    if states is None or operator.layers == 1:
        return states
    begin, end = layer * operator.ways, (layer + 1) * operator.ways
    return b.op("Slice", states, b.ints(begin), b.ints(end), b.ints(0))


def _lengths(b: Builder) -> Any:
    """How many positions each row begins with before its padding, at least one."""
    count = b.op("ReduceSum", b.op("Cast", b.real, to=b.int_type), b.ints(1), keepdims=0)
    return b.op("Cast", b.op("Max", count, b.index(1)), to=b.int32_type)
