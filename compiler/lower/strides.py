"""Filters along a sequence: how many places come out, and which of them are real."""

from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.size import Poly, Size, as_poly, constant
from compiler.lower.scope import Scope
from compiler.ops import StridedMask, ZeroPadding


class Filter(Frozen):
    """`taps` places, `dilation` apart, put down at every `stride`-th place, with `before` and
    `after` zeros around the sequence."""

    taps: int
    stride: int = 1
    before: int = 0
    after: int = 0
    dilation: int = 1

    @property
    def first(self) -> int:
        """The place that must be there for the first result."""
        return (self.taps - 1) * self.dilation - self.before - self.after

    @property
    def keeps(self) -> bool:
        """Whether as many places come out as went in."""
        return self.stride == 1 and self.first == 0

    def count(self, length: Size) -> Poly:
        """How many places come out of `length`."""
        return (as_poly(length) + (self.stride - self.first - 1)) // self.stride


def places(scope: Scope, found: Filter, length: Size, of: str) -> Size:
    """The letter of the places that come out of `length`; `of` is the node that they are of."""
    if found.keeps:
        return length
    count = found.count(scope.letters.fix(length))
    number = constant(count)
    if number is not None and number < 1:
        scope.reject(
            "AR0308",
            "the kernel is larger than the sequence",
            f"{found.taps} taps over {scope.letters.fix(length)} places",
            field="kernel",
        )
    return scope.letters.derived("strided", found.count(length), f"positions of {of}")


def zeroed(scope: Scope, found: Filter, x: Value, real: Value | None) -> Value:
    """[B, T, D] with zeros at padding, as behind the end of a sequence that has none."""
    if real is None or found.taps == 1:
        return x
    return scope.op("real_only", ZeroPadding(), x, real)


def strided(scope: Scope, found: Filter, real: Value | None, count: Size) -> Value | None:
    """The padding mask of the `count` places that come out."""
    if real is None or found.keeps:
        return real
    if found.first < 0:
        scope.reject(
            "AR0263",
            "a padded sequence grows by more zeros than a filter reaches",
            f"{found.before + found.after} zeros around it, "
            f"{(found.taps - 1) * found.dilation} places in reach",
            "pad less, or leave `padded` out",
        )
    return scope.op("real", StridedMask(count, found.first, found.stride), real)
