"""Sums and the like along dimensions, sorting and picking."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from compiler.shadow.kinds import BOOLEAN, FLOAT, FLOAT32, INT64, promoted
from compiler.shadow.pointwise import binary, cast, elementwise, unary
from compiler.shadow.strides import dense, viewed
from compiler.shadow.tape import Back
from compiler.shadow.tensor import Tensor, alias, axis, elements, keep, made
from compiler.shadow.views import expand


class Picked(NamedTuple):
    """Values and where they stood."""

    values: Tensor
    indices: Tensor


def _without(x: Tensor, dim: Any, keepdim: bool) -> tuple[int, ...]:
    if dim is None:
        return (1,) * len(x.shape) if keepdim else ()
    gone = {axis(x, each) for each in ((dim,) if isinstance(dim, int) else dim)}
    if keepdim:
        return tuple(1 if i in gone else size for i, size in enumerate(x.shape))
    return tuple(size for i, size in enumerate(x.shape) if i not in gone)


def total(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The sum."""
    dtype = x.dtype if x.dtype.rank == FLOAT else INT64
    back = _spread(x, dim, keepdim)
    return made(x.tape, _without(x, dim, keepdim), dtype, (x,), back=back)


def _spread(x: Tensor, dim: Any, keepdim: bool) -> Back:
    """The gradient of a sum: the same for all that went in, without memory."""
    shape, whole = x.shape, _without(x, dim, True)

    def back(g: Tensor) -> Tensor:
        wide = alias(g, whole, viewed(g.shape, g.strides, whole) or dense(whole))
        return expand(wide, shape)

    return back


def sum_to(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The sum over what a shape was broadcast to."""
    target = tuple(shape)
    if x.shape == target:
        return x
    ahead = len(x.shape) - len(target)
    kept = (1,) * ahead + target
    whole = tuple(1 if there == 1 else size for there, size in zip(kept, x.shape, strict=True))
    if ahead or whole != x.shape:
        x = made(x.tape, whole, x.dtype)
    return alias(x, target, x.strides[ahead:]) if ahead else x


def mean(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The mean."""
    spread = _spread(x, dim, keepdim)

    def back(g: Tensor) -> Tensor:
        return elementwise((spread(g),), g.dtype)

    return made(x.tape, _without(x, dim, keepdim), x.dtype, (x,), back=back)


def logsumexp(x: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials."""
    result = made(x.tape, _without(x, dim, keepdim), x.dtype, (x,))
    keep(result, x, result)
    return result


def amax(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The largest."""
    result = made(x.tape, _without(x, dim, keepdim), x.dtype, (x,))
    keep(result, x, result)
    return result


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    """Shares along a dimension; the backward pass reads them."""
    shape, dtype = x.shape, x.dtype
    result = made(x.tape, x.shape, x.dtype, (x,), back=lambda g: made(g.tape, shape, dtype))
    keep(result, result)
    return result


def scattered(x: Tensor) -> Back:
    """The gradient of picked elements: zeros, into which it is put; a copy where somebody watches
    the operations."""
    shape, dtype = x.shape, x.dtype

    def back(g: Tensor) -> Tensor:
        zeros = made(g.tape, shape, dtype)
        return zeros if g.tape.in_place else made(g.tape, shape, dtype)

    return back


def cumsum(x: Tensor, dim: int) -> Tensor:
    """Running sums."""
    dtype = x.dtype if x.dtype.rank == FLOAT else INT64
    return made(x.tape, x.shape, dtype, (x,))


def cummax(x: Tensor, dim: int) -> Picked:
    """Running maxima and where they stood."""
    values = made(x.tape, x.shape, x.dtype, (x,))
    indices = made(x.tape, x.shape, INT64)
    keep(values, indices)
    return Picked(values, indices)


def topk(x: Tensor, k: int, dim: int = -1) -> Picked:
    """The k largest."""
    at = axis(x, dim)
    shape = (*x.shape[:at], k, *x.shape[at + 1 :])
    values = made(x.tape, shape, x.dtype, (x,), back=scattered(x))
    indices = made(x.tape, shape, INT64)
    keep(values, indices)
    return Picked(values, indices)


def argsort(x: Tensor, dim: int = -1, stable: bool = False, descending: bool = False) -> Tensor:
    """The order that sorts; the sorted values go at once."""
    values, indices = made(x.tape, x.shape, x.dtype), made(x.tape, x.shape, INT64)
    del values
    return indices


def argmax(x: Tensor, dim: int) -> Tensor:
    """Where the largest stands."""
    return made(x.tape, _without(x, dim, False), INT64)


def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Elements at places along a dimension. torch keeps the input too, for its shape."""
    result = made(x.tape, index.shape, x.dtype, (x,), back=scattered(x))
    keep(result, index, x)
    return result


def scatter(x: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy with a value put at places."""
    result = made(x.tape, x.shape, x.dtype, (x,))
    keep(result, index)
    return result


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """Places of a dimension."""
    at = axis(x, dim)
    shape = (*x.shape[:at], *index.shape, *x.shape[at + 1 :])
    result = made(x.tape, shape, x.dtype, (x,), back=scattered(x))
    keep(result, index)
    return result


def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle."""
    return made(x.tape, x.shape, x.dtype, (x,))


def normalize(x: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Divided by its length."""
    whole, row, dtype = x.shape, _without(x, dim, True), x.dtype

    def shorter(g: Tensor) -> Tensor:
        scaled = made(g.tape, whole, dtype)
        made(g.tape, row, BOOLEAN)
        found = made(g.tape, whole, dtype)
        del scaled
        return found

    def above(g: Tensor) -> Tensor:
        seen, nothing = made(g.tape, row, BOOLEAN), made(g.tape, (), dtype)
        found = made(g.tape, row, dtype)
        del seen, nothing
        return found

    norm = made(x.tape, row, dtype, (x,), back=shorter)
    keep(norm, x, norm)
    least = made(x.tape, row, dtype, (norm,), back=above)
    keep(least, norm)
    del norm
    return binary("div", x, expand(least, whole))


def outer(x: Tensor, y: Tensor) -> Tensor:
    """Every product of two vectors."""
    result = made(x.tape, (elements(x), elements(y)), promoted((x, y)), (x, y))
    keep(result, *([y] if x.grad else []), *([x] if y.grad else []))
    return result


def interpolate(x: Tensor, size: Any, mode: str = "nearest") -> Tensor:
    """An image at another size."""
    shape, dtype = x.shape, x.dtype
    whole = (*shape[:2], *size)
    return made(x.tape, whole, dtype, (x,), back=lambda g: made(g.tape, shape, dtype))


def pad(x: Tensor, widths: Sequence[int], value: Any = None) -> Tensor:
    """Places around the last dimensions."""
    shape = list(x.shape)
    for i in range(len(widths) // 2):
        shape[-1 - i] = shape[-1 - i] + widths[2 * i] + widths[2 * i + 1]
    inside, dtype = x.shape, x.dtype
    return made(x.tape, shape, x.dtype, (x,), back=lambda g: made(g.tape, inside, dtype))


def rms_norm(
    x: Tensor, shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """As torch composes it on a CPU, in float32."""
    wide = x if x.dtype.size >= FLOAT32.size else cast(x, FLOAT32)
    rate = _rate(wide)
    result = wide * rate
    if weight is not None:
        result = result * weight
    if not result.in_order:
        result = made(x.tape, x.shape, result.dtype, (result,), back=lambda g: g)
    return cast(result, x.dtype)


def _rate(x: Tensor) -> Tensor:
    square = unary("square", x)
    middle = mean(square, -1, True)
    return unary("rsqrt", middle)


def layer_norm(
    x: Tensor,
    shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Keeps a mean and a deviation a row, on a CPU in the type of `x`."""
    del shape, eps
    rows = (*x.shape[:-1], 1)
    parents = [each for each in (x, weight, bias) if each is not None]
    parts = [(each.shape, each.dtype) if each.grad else None for each in parents]

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else made(g.tape, *each) for each in parts)

    result = made(x.tape, x.shape, x.dtype, parents, back=back)
    middle, spread = made(x.tape, rows, x.dtype), made(x.tape, rows, x.dtype)
    keep(result, x, middle, spread, *([weight] if weight is not None else []))
    return result
