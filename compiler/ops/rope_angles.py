"""Rotary angles of places counted from the start of a sequence."""

from typing import Any, ClassVar, Final

from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size, value
from compiler.ops.angles import Angles, Pairs
from compiler.ops.rope_scaling import Scaling

LARGEST: Final = 2**23
"""The most numbers of a table: 32 MiB in float32, the places and heads of Llama 3.1."""

SOURCE: Final = '''
def {name}(pos: int, T: int, device: torch.device) -> Tensor:
    """Angle of every place and coordinate; the two coordinates of a pair turn alike."""
    place_T = torch.arange(pos, pos + T, device=device)
    rate_K = {rates}
    return torch.outer(place_T, rate_K)
'''


class RopeAngles(Angles, Operator, signature="x:*TD, pos?:int -> angle:TK"):
    """`Angles` of the places `pos` to `pos + T`, the same in every row."""

    measured: ClassVar[tuple[str, ...]] = ("x",)
    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    K: Size
    theta: float = 10000.0
    pairs: Pairs = "halves"
    scaling: Scaling | None = None

    def torch(self, w: Writer) -> str:
        rates = self.rates(w, "device", "place_T[-1]")
        made = w.helper("angles", SOURCE.format(name="{name}", rates=rates))
        pos = w.pos if w.has("pos") else "0"
        return f"{made}({pos}, {w.dim('T')}, {w.x}.device)"

    def onnx(self, b: Builder) -> Any:
        places = b.positions("T")
        if b.counts is not None:
            tables, angle = self._tables(b), self.angles(b, places, axis=2)
            return b.op("Cos", angle), b.op("Sin", angle), *tables
        angle = self.angles(b, places, axis=1)
        rows = b.lengths(*b.leading, b.dim("T"), value(b.dim("K")) // 2)
        cos, sin = (
            b.op("Expand", b.op("Unsqueeze", b.op(f, angle), b.ints(0)), rows)
            for f in ("Cos", "Sin")
        )
        return cos, sin

    def _tables(self, b: Builder) -> tuple[Any, ...]:
        """Cosines and sines of every place [places, K/2], for a kernel that counts rows and turns
        by itself; none where they are too many or turn by the length.

        The runtime computes them when it loads the file.
        """
        places, pairs = b.counts.most, value(b.dim("K")) // 2
        if not 0 < places * pairs <= LARGEST or (self.scaling and self.scaling.by_length):
            return ()
        angle = self.angles(b, b.op("Range", b.index(0), b.index(places), b.index(1)), axis=1)
        return b.op("Cos", angle), b.op("Sin", angle)
