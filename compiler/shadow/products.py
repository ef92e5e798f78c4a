"""Matrix products, filters and tables, and the copies that torch makes for them on a CPU."""

from collections.abc import Sequence
from typing import Any

from compiler.shadow.length import divided, product
from compiler.shadow.pointwise import broadcast
from compiler.shadow.strides import dense
from compiler.shadow.tape import Back
from compiler.shadow.tensor import Tensor, alias, keep, made
from compiler.shadow.views import contiguous, expand, flatten, matrix_turned, reshape, turned, view


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A map of the last dimension. The input is kept, or the copy that had to be made of it."""
    if bias is not None and (x.in_order or len(x.shape) == 2):
        return view(_rows(flatten(x, 0, -2), turned(weight), bias), (*x.shape[:-1], -1))
    result = matmul(x, turned(weight))
    return result if bias is None else result + bias


def _rows(x: Tensor, y: Tensor, bias: Tensor | None = None) -> Tensor:
    """Two matrices multiplied."""
    parents = [each for each in (x, y, bias) if each is not None]
    back = _rows_back(x, y, bias)
    result = made(x.tape, (x.shape[0], y.shape[1]), x.dtype, parents, back=back)
    _keep_factors(result, x, y)
    return result


def _rows_back(x: Tensor, y: Tensor, bias: Tensor | None) -> Back:
    """Each gradient lies as its matrix does."""
    left, right = (_lying(x) if x.grad else None), (_lying(y) if y.grad else None)
    biased = bias is not None

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        found = [None if each is None else made(g.tape, *each) for each in (right, left)]
        return (*reversed(found), *([g] if biased else []))

    return back


def _lying(x: Tensor) -> tuple[Any, ...]:
    """What makes matrices that lie as `x` does: by rows, or by columns."""
    *ahead, rows, columns = range(len(x.shape))
    turned = x.strides[rows] == 1 and x.strides[columns] == x.shape[rows]
    order = [*ahead, columns, rows] if turned else [*ahead, rows, columns]
    laid = dense([x.shape[i] for i in order])
    return x.shape, x.dtype, (), tuple(laid[order.index(i)] for i in range(len(order)))


def _keep_factors(result: Tensor, x: Tensor, y: Tensor) -> None:
    keep(result, *([x] if y.grad else []), *([y] if x.grad else []))


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """`x @ y`: matrices are multiplied at once, others as a batch of them."""
    if len(x.shape) == 2 and len(y.shape) == 2:
        return _rows(x, y)
    if len(y.shape) == 2 and (y.grad or viewable(x)):
        flat = reshape(x, (product(x.shape[:-1]), x.shape[-1]))
        return view(_rows(flat, y), (*x.shape[:-1], y.shape[-1]))
    if len(x.shape) == 2 and x.grad:
        return _folded(x, y)
    return _batched(x, y)


def _folded(x: Tensor, y: Tensor) -> Tensor:
    """A matrix by several where gradients flow to it: they are one matrix, and what comes of them
    is copied in order. Without a backward pass it comes so at once."""
    flat = reshape(matrix_turned(y), (product((*y.shape[:-2], y.shape[-1])), y.shape[-2]))
    result = _rows(flat, turned(x))
    if result.storage.index is not None:
        x.tape.copies.add(result.storage.index)
    return contiguous(matrix_turned(view(result, (*y.shape[:-2], y.shape[-1], x.shape[0]))))


def viewable(x: Tensor) -> bool:
    """Whether all but the last dimension lie in order."""
    pairs = range(len(x.shape) - 2)
    return all(x.strides[i] == x.strides[i + 1] * x.shape[i + 1] for i in pairs)


def _batched(x: Tensor, y: Tensor) -> Tensor:
    batch = broadcast([x.shape[:-2], y.shape[:-2]])
    left, right = _flat(x, batch), _flat(y, batch)
    parts = [(each.shape, each.dtype) if each.grad else None for each in (left, right)]

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else made(g.tape, *each) for each in parts)

    shape = (product(batch), x.shape[-2], y.shape[-1])
    whole = made(x.tape, shape, x.dtype, (left, right), back=back)
    _keep_factors(whole, left, right)
    return view(whole, (*batch, x.shape[-2], y.shape[-1]))


def _flat(x: Tensor, batch: Sequence[int]) -> Tensor:
    whole = expand(x, (*batch, *x.shape[-2:]))
    return reshape(whole, (product(batch), *x.shape[-2:]))


def grouped_mm(x: Tensor, maps: Tensor, offs: Tensor) -> Tensor:
    """Rows by the map of their group."""
    parts = [_lying(each) if each.grad else None for each in (x, maps)]

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else made(g.tape, *each) for each in parts)

    result = made(x.tape, (x.shape[0], maps.shape[-1]), x.dtype, (x, maps), back=back)
    _keep_factors(result, x, maps)
    keep(result, offs)
    return result


def embedding(ids: Tensor, weight: Tensor, **rest: Any) -> Tensor:
    """Rows of a table."""
    table = (weight.shape, weight.dtype)
    shape = (*ids.shape, weight.shape[-1])
    result = made(weight.tape, shape, weight.dtype, (weight,), back=lambda g: made(g.tape, *table))
    keep(result, ids)
    return result


def convolution(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
) -> Tensor:
    """Filters over the dimensions behind the channels."""
    spans = zip(x.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True)
    places = [_places(*span) for span in spans]
    parents = [each for each in (x, weight, bias) if each is not None]
    parts = [(each.shape, each.dtype) if each.grad else None for each in parents]

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else made(g.tape, *each) for each in parts)

    shape = (x.shape[0], weight.shape[0], *places)
    result = made(x.tape, shape, x.dtype, parents, back=back)
    keep(result, x, weight)
    return result


def _places(size: int, kernel: int, step: int, around: int, apart: int) -> int:
    return divided(size + 2 * around - apart * (kernel - 1) - 1, step) + 1


def alike(x: Tensor) -> Tensor:
    """The same memory under another name."""
    return alias(x, x.shape, x.strides, lambda g: g)
