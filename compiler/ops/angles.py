"""What rotary angles of counted and of given places share: the rates of the pairs."""

from typing import Any, Final, Literal, TypeAlias

from compiler.ir.cost import Cost
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.size import Size, value
from compiler.ops.rope_scaling import Scaling, rates

Pairs: TypeAlias = Literal["halves", "adjacent"]

PLAIN: Final = "{theta} ** (-torch.arange(0, {K}, 2, device={device}).{twice}(2) / {K})"


class Angles:
    """Su et al. 2021, eq. 15: the angle of place t in pair i is t·theta^(-2i/K), in float32, or t
    times what `scaling` has for that rate.

    Laid out as the pairs are: `halves` repeats the K/2 angles, `adjacent` doubles each.
    """

    K: Size
    theta: float
    pairs: Pairs
    scaling: Scaling | None

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=n.angle)

    def rates(self, w: Writer, device: str, longest: str) -> str:
        """The expression of the rates of all coordinates; `longest` is that of the last place."""
        twice = "repeat" if self.pairs == "halves" else "repeat_interleave"
        if self.scaling is None:
            base = w.constant("ROPE_BASE", self.theta)
            return PLAIN.format(theta=base, K=w.dim("K"), device=device, twice=twice)
        made = w.helper("rates", self.scaling.source(w, self.theta))
        return f"{made}({f'{longest} + 1' if self.scaling.by_length else device}).{twice}(2)"

    def angles(self, b: Builder, places: Any, axis: int) -> Any:
        """The angle of every pair at integer places as an ONNX value; pairs are the dimension
        `axis`."""
        width = value(b.dim("K"))
        made = (
            b.floats(rates(self.theta, width))
            if self.scaling is None
            else self.scaling.nodes(b, self.theta, width, places)
        )
        counted = b.op("Cast", places, to=b.float_type)
        return b.op("Mul", b.op("Unsqueeze", counted, b.ints(axis)), made)
