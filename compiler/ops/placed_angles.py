"""Rotary angles of given places, which differ from row to row."""

from typing import Any, ClassVar, Final

from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Writer
from compiler.ir.size import Size
from compiler.ops.angles import Angles, Pairs
from compiler.ops.rope_scaling import Scaling

SOURCE: Final = '''
def {name}(place_BT: Tensor) -> Tensor:
    """Angle of every place and coordinate; the two coordinates of a pair turn alike."""
    rate_K = {rates}
    return place_BT[:, None, :, None] * rate_K
'''


class PlacedAngles(Angles, Operator, signature="place:int BT -> angle:B1TK"):
    """`Angles` of `place`. A scaling by length goes by the longest place of the batch."""

    ordered: ClassVar[bool] = True
    locates: ClassVar[bool] = True

    K: Size
    theta: float = 10000.0
    pairs: Pairs = "halves"
    scaling: Scaling | None = None

    def torch(self, w: Writer) -> str:
        rates = self.rates(w, "place_BT.device", "place_BT.max()")
        return f"{w.helper('angles', SOURCE.format(name='{name}', rates=rates))}({w.place})"

    def onnx(self, b: Builder) -> Any:
        angle = self.angles(b, b.place, axis=2)
        return b.op("Cos", angle), b.op("Sin", angle)
