"""Rates of rotary pairs that depend on the longest place of a call.

A sequence that crosses the limit turns all of its places by other rates than before, the first ones
too: keys that a decoder cached before it crossed keep the rates of then.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from compiler.ir.rules import Builder, Writer
from compiler.ops.rope_scaling import Scaling, filled, rates

ROW: Final = 8
"""Most numbers of a list that stand in a line."""

DYNAMIC: Final = '''
def {name}(length: Tensor) -> Tensor:
    """Radians a place of every pair; beyond {trained} places their base grows with the length."""
    longer = (length / {trained}).clamp(min=1)
    base = {theta} * ({factor} * longer - {factor} + 1) ** ({K} / ({K} - 2))
    return base ** (-torch.arange(0, {K}, 2, device=length.device) / {K})
'''
LONGROPE: Final = '''
def {name}(length: Tensor) -> Tensor:
    """Radians a place of every pair, divided by `long` in more than {trained} places."""
    short = torch.tensor({short}, device=length.device){flat}
    long = torch.tensor({long}, device=length.device){flat}
    factor = torch.where(length > {trained}, long, short)
    return {theta} ** (-torch.arange(0, {K}, 2, device=length.device) / {K}) / factor
'''


class Dynamic(Scaling):
    """bloc97 and emozilla 2023 ("dynamic NTK"): with n > `original` places the base is
    theta·(factor·n / original - factor + 1)^(K / (K - 2)), so that the slowest pair is interpolated
    and the fastest one is not."""

    by_length: ClassVar[bool] = True
    factor: float
    original: int

    def numbers(self, theta: float, width: int) -> list[float]:
        return rates(theta, width)

    def source(self, w: Writer, theta: float) -> str:
        return filled(
            DYNAMIC,
            w,
            theta,
            factor=w.constant("ROPE_FACTOR", self.factor),
            trained=w.constant("ROPE_LENGTH", self.original),
        )

    def nodes(self, b: Builder, theta: float, width: int, places: Any) -> Any:
        length = b.op("Cast", _length(b, places), to=b.float_type)
        longer = b.op("Max", b.op("Div", length, b.number(self.original)), b.number(1.0))
        grown = b.op("Mul", b.op("Sub", longer, b.number(1.0)), b.number(self.factor))
        power = b.number(width / (width - 2))
        base = b.op("Pow", b.op("Add", grown, b.number(1.0)), power)
        exponents = b.floats([-i / width for i in range(0, width, 2)])
        return b.op("Pow", b.op("Mul", base, b.number(theta)), exponents)


class Longrope(Scaling):
    """Ding et al. 2024: the rate of pair i is divided by `short_factor[i]`, in a sequence of more
    than `original` places by `long_factor[i]`."""

    by_length: ClassVar[bool] = True
    original: int
    short_factor: tuple[float, ...]
    long_factor: tuple[float, ...]

    def numbers(self, theta: float, width: int) -> list[float]:
        return _divided(theta, width, self.short_factor)

    def source(self, w: Writer, theta: float) -> str:
        rows = _rows(self.short_factor)
        return filled(
            LONGROPE,
            w,
            theta,
            short=_listed(w, self.short_factor),
            long=_listed(w, self.long_factor),
            flat=".flatten()" if rows > 1 else "",
            trained=w.constant("ROPE_LENGTH", self.original),
        )

    def nodes(self, b: Builder, theta: float, width: int, places: Any) -> Any:
        long, short = (
            b.floats(_divided(theta, width, factors))
            for factors in (self.long_factor, self.short_factor)
        )
        crossed = b.op("Greater", _length(b, places), b.index(self.original))
        return b.op("Where", crossed, long, short)


def _divided(theta: float, width: int, factors: Sequence[float]) -> list[float]:
    return [rate / by for rate, by in zip(rates(theta, width), factors, strict=True)]


def _length(b: Builder, places: Any) -> Any:
    """One more than the longest place, as an integer without dimensions."""
    return b.op("Add", b.op("ReduceMax", places, keepdims=0), b.index(1))


def _rows(numbers: Sequence[float]) -> int:
    """How many rows a list is written in, all as long as each other."""
    width = next(n for n in range(min(ROW, len(numbers)), 0, -1) if len(numbers) % n == 0)
    return len(numbers) // width if width > 1 else 1


def _listed(w: Writer, numbers: Sequence[float]) -> str:
    """Numbers as Python, row by row where they are many."""
    rows, said = _rows(numbers), [w.number(n) for n in numbers]
    width = len(said) // rows
    lists = [f"[{', '.join(said[at : at + width])}]" for at in range(0, len(said), width)]
    return lists[0] if rows == 1 else f"[{', '.join(lists)}]"
