"""GroupedLinear: a matrix product for each group of rows, with the matrix of the group."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator, Parameter, Use
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Poly, Size, divide_exactly, least, value
from compiler.ir.traffic import Traffic
from compiler.ir.types import TensorType

NAME: Final = "GroupedLinear"
STEP: Final = 8
"""Widths that torch's grouped product takes are multiples of this: 16 bytes of bfloat16."""


class GroupedLinear(Operator, signature="rows:NI, end:intE; weight:EOI, bias?:EO -> y:NO"):
    """`y = x Wₑᵀ + bₑ` for the rows x of each of `E` groups, which end before `end[e]`.

    2·N·I·O FLOPs. A position reads `A` of the `E` maps. Parameters stand apart, one for each group,
    until a pass stacks them along a new first axis (`stacked`) and joins maps of the same rows
    along the output (`parts`). Drawn as `Linear` is.

    torch runs `grouped_mm`. It has none for float32 under compile, export and meta, for float64 and
    for widths that are no multiples of 8: there every map takes all rows, and each row keeps what
    its own gives.
    ONNX splits the rows and gives each part to a MatMul with weights of its own, so that an expert
    computes the rows it was sent and no others, in any runtime; the MoE operator of ONNX Runtime
    would be one node, for targets that ask for it.
    """

    holder: ClassVar[str] = NAME
    wraps: ClassVar[bool] = True

    E: Size
    O: Size
    A: Size
    bias: bool = False
    init: Init | None = None
    stacked: bool = False
    parts: tuple[tuple[str, Size], ...] = ()

    def draw(self, name: str, n: Mapping[str, int]) -> Init:
        if self.init is None:
            return Init("uniform", n["I"] ** -0.5)
        return self.init if name == "weight" else Init("zeros")

    def parameters(self, inputs: Sequence[TensorType | None], key: Letters) -> dict[str, Parameter]:
        found = super().parameters(inputs, key)
        return {name: replace(each, apart=not self.stacked) for name, each in found.items()}

    def active(self, parameters: Poly) -> Poly:
        return divide_exactly(parameters * self.A, self.E) or parameters

    def cost(self, n: Sizes) -> Cost:
        return Cost(matmul=2 * n.N * n.I * n.O, elementwise=n.y if self.bias else 0)

    def traffic(self, n: Use, weights: Poly) -> Traffic:
        """Only matrices that some row is sent to are read: at most one for each row."""
        touched = divide_exactly(weights * least(n.E, n.N), n.E)
        return super().traffic(n, weights if touched is None else touched)

    def module(self, w: Writer) -> str:
        aligned = not (w.fixed("I") % STEP or w.fixed("O") % STEP)
        name = w.helper(NAME, source(self.bias, aligned))
        return f"{name}({w.dim('E')}, {w.dim('I')}, {w.dim('O')})"

    def torch(self, w: Writer) -> str:
        return f"{w.self}({w.rows}, {w.end})"

    def onnx(self, b: Builder) -> Any:
        b.by_group()
        count = value(b.dim("E"))
        each = b.op("Split", b.rows, b.end, outputs=count, axis=0) if count > 1 else b.rows
        made = [self._map(b, rows, e) for e, rows in enumerate(each if count > 1 else [each])]
        return b.op("Concat", *made, axis=0) if count > 1 else made[0]

    def _map(self, b: Builder, rows: Any, group: int) -> Any:
        bias = "bias" if self.bias else ""
        return b.linear(rows, "weight", bias, member=group)


def source(bias: bool, aligned: bool) -> str:
    """The class of a module, with a bias and with the grouped product where these can be."""
    return "\n".join(_lines(bias, aligned))


def _lines(bias: bool, aligned: bool) -> Iterator[str]:
    yield "class {name}(nn.Module):"
    yield '    """A linear map for each group of rows; those of group g end before `end[g]`."""'
    yield ""
    yield "    def __init__(self, groups: int, inputs: int, outputs: int) -> None:"
    yield "        super().__init__()"
    yield "        self.weight = nn.Parameter(torch.empty(groups, outputs, inputs))"
    yield "        nn.init.uniform_(self.weight, -(inputs**-0.5), inputs**-0.5)"
    if bias:
        yield "        self.bias = nn.Parameter(torch.empty(groups, outputs))"
        yield "        nn.init.uniform_(self.bias, -(inputs**-0.5), inputs**-0.5)"
    yield ""
    yield "    def forward(self, rows: Tensor, end: Tensor) -> Tensor:"
    yield "        device, dtype = rows.device, rows.dtype"
    yield "        if not rows.is_meta and torch.is_autocast_enabled(device.type):"
    yield "            dtype = torch.get_autocast_dtype(device.type)"
    yield "        rows, maps = rows.to(dtype), self.weight.to(dtype).transpose(1, 2)"
    place = [
        "        row = torch.arange(rows.shape[0], device=device)",
        "        group = (row[:, None] >= end).sum(dim=1)",
    ]
    added = ""
    if bias:
        yield from place
        yield "        bias = self.bias.to(dtype)[group]"
        added = " + bias"
    if aligned:
        yield "        traced = rows.is_meta or torch.compiler.is_compiling()"
        yield "        if dtype == torch.bfloat16 or not (traced or dtype == torch.float64):"
        yield f"            return F.grouped_mm(rows, maps, offs=end.int()){added}"
        yield "        # torch traces no grouped product but of bfloat16: every map takes all rows."
    if not bias:
        yield from place
    yield f"        return (rows @ maps)[group, row]{added}"
