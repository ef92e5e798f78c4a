"""Which positions each new one may look at in a decoder with a cache or with padding."""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from compiler.ir.cost import Cost
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size
from compiler.ir.types import TensorType

SOURCE: Final = '''
def {name}(pos: int, T: int, device: torch.device) -> Tensor:
    """True where each of T new positions from `pos` on may look: at itself and all before."""
    return torch.ones(T, pos + T, dtype=torch.bool, device=device).tril(pos)
'''


class CausalMask(Operator, signature="x:BTD, kv?:*C, pos?:int, real?:bool BS -> seen:bool B1TS"):
    """True at [t, s] where s ≤ pos + t and, with `real` given, source s is no padding.

    Without padding the result is [T, S] and only there when a cache is: fused kernels have the
    square causal mask built in.
    """

    measured: ClassVar[tuple[str, ...]] = ("x", "kv")
    ordered: ClassVar[bool] = True

    S: Size
    padded: bool = False

    def infer(self, inputs: Sequence[TensorType | None], key: Letters) -> tuple[TensorType, ...]:
        (full,) = super().infer(inputs, key)
        return (full,) if self.padded else (TensorType("bool", full.shape[2:], optional=True),)

    def cost(self, n: Sizes) -> Cost:
        return Cost()

    def torch(self, w: Writer) -> str:
        pos = w.pos if w.has("pos") else "0"
        mask = f"{w.helper('causal', SOURCE)}({pos}, {w.dim('T')}, {w.x}.device)"
        if self.padded:
            return f"{mask} & {w.real}[:, None, None, :]"
        return f"None if {w.kv} is None else {mask}"

    def onnx(self, b: Builder) -> Any:
        seen = b.op("GreaterOrEqual", b.column(b.positions("T")), b.range(b.dim("S")))
        if self.padded:
            seen = b.op("And", seen, b.op("Unsqueeze", b.real, b.ints(1, 2)))
        return b.plain(seen)
