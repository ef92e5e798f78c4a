"""Matrix products, filters and tables, and the copies that torch makes for them on a CPU."""

from collections.abc import Sequence
from typing import Any

from compiler.shadow.length import divided, product
from compiler.shadow.pointwise import broadcast
from compiler.shadow.tensor import Tensor, alias, keep, made
from compiler.shadow.views import expand, flatten, reshape, turned, view


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A map of the last dimension. The input is kept, or the copy that had to be made of it."""
    if bias is not None and (x.in_order or len(x.shape) == 2):
        return view(_rows(flatten(x, 0, -2), turned(weight), bias), (*x.shape[:-1], -1))
    result = matmul(x, turned(weight))
    return result if bias is None else result + bias


def _rows(x: Tensor, y: Tensor, bias: Tensor | None = None) -> Tensor:
    """Two matrices multiplied."""
    parents = [each for each in (x, y, bias) if each is not None]
    result = made(x.tape, (x.shape[0], y.shape[1]), x.dtype, parents)
    _keep_factors(result, x, y)
    return result


def _keep_factors(result: Tensor, x: Tensor, y: Tensor) -> None:
    keep(result, *([x] if y.grad else []), *([y] if x.grad else []))


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """`x @ y`: matrices are multiplied at once, others as a batch of them."""
    if len(x.shape) == 2 and len(y.shape) == 2:
        return _rows(x, y)
    if len(y.shape) == 2 and (y.grad or viewable(x)):
        flat = reshape(x, (product(x.shape[:-1]), x.shape[-1]))
        return view(_rows(flat, y), (*x.shape[:-1], y.shape[-1]))
    return _batched(x, y)


def viewable(x: Tensor) -> bool:
    """Whether all but the last dimension lie in order."""
    pairs = range(len(x.shape) - 2)
    return all(x.strides[i] == x.strides[i + 1] * x.shape[i + 1] for i in pairs)


def _batched(x: Tensor, y: Tensor) -> Tensor:
    batch = broadcast([x.shape[:-2], y.shape[:-2]])
    left, right = _flat(x, batch), _flat(y, batch)
    whole = made(x.tape, (product(batch), x.shape[-2], y.shape[-1]), x.dtype, (left, right))
    _keep_factors(whole, left, right)
    return view(whole, (*batch, x.shape[-2], y.shape[-1]))


def _flat(x: Tensor, batch: Sequence[int]) -> Tensor:
    whole = expand(x, (*batch, *x.shape[-2:]))
    return reshape(whole, (product(batch), *x.shape[-2:]))


def grouped_mm(x: Tensor, maps: Tensor, offs: Tensor) -> Tensor:
    """Rows by the map of their group."""
    result = made(x.tape, (x.shape[0], maps.shape[-1]), x.dtype, (x, maps))
    _keep_factors(result, x, maps)
    keep(result, offs)
    return result


def embedding(ids: Tensor, weight: Tensor, **rest: Any) -> Tensor:
    """Rows of a table."""
    result = made(weight.tape, (*ids.shape, weight.shape[-1]), weight.dtype, (weight,))
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
    result = made(x.tape, (x.shape[0], weight.shape[0], *places), x.dtype, parents)
    keep(result, x, weight)
    return result


def _places(size: int, kernel: int, step: int, around: int, apart: int) -> int:
    return divided(size + 2 * around - apart * (kernel - 1) - 1, step) + 1


def alike(x: Tensor) -> Tensor:
    """The same memory under another name."""
    return alias(x, x.shape, x.strides)
