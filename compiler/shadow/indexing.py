"""Subscripts: slices and new dimensions are views, tensors of indices make copies."""

from typing import Any

from compiler.shadow.length import Length, steps
from compiler.shadow.pointwise import broadcast
from compiler.shadow.reductions import scattered
from compiler.shadow.tape import UnknownError
from compiler.shadow.tensor import Tensor, alias, keep, made
from compiler.shadow.views import select, unsqueeze, within


def picked(x: Tensor, index: Any) -> Tensor:
    """`x[index]`."""
    given = _spread(x, index if isinstance(index, tuple) else (index,))
    tensors: dict[int, Tensor] = {}
    looked, dim = x, 0
    for each in given:
        if each is None:
            looked = unsqueeze(looked, dim)
        elif isinstance(each, slice):
            looked = _cut(looked, dim, each)
        elif isinstance(each, Tensor):
            tensors[dim] = each
        else:
            looked = select(looked, dim)
            continue
        dim += 1
    return _gathered(looked, tensors) if tensors else looked


def _cut(x: Tensor, dim: int, part: slice) -> Tensor:
    """A part of one dimension; all of it is the tensor itself."""
    size = _sliced(x.shape[dim], part)
    step = int(part.step or 1)
    if step == 1 and size == x.shape[dim]:
        return x
    strides = (*x.strides[:dim], x.strides[dim] * step, *x.strides[dim + 1 :])
    return alias(x, (*x.shape[:dim], size, *x.shape[dim + 1 :]), strides, within(x))


def _spread(x: Tensor, given: tuple[Any, ...]) -> list[Any]:
    """Subscripts for every dimension, the dots and what is left out as whole slices."""
    named = sum(1 for each in given if each is not None and each is not Ellipsis)
    rest = [slice(None)] * (len(x.shape) - named)
    if not any(each is Ellipsis for each in given):
        return [*given, *rest]
    at = next(i for i, each in enumerate(given) if each is Ellipsis)
    return [*given[:at], *rest, *given[at + 1 :]]


def _sliced(size: int, part: slice) -> int:
    start = _bound(size, part.start, 0)
    stop = _bound(size, part.stop, size)
    return steps(stop - start, part.step or 1)


def _bound(size: int, given: int | None, default: int) -> int:
    if given is None:
        return default
    if given < 0:
        return size + given
    return given if isinstance(given, Length) or given <= size else size


def _gathered(x: Tensor, tensors: dict[int, Tensor]) -> Tensor:
    """The elements at places that tensors say, whose own shape stands where the first was."""
    if any(index.dtype.rank == 0 for index in tensors.values()):
        raise UnknownError("a subscript of booleans")
    places = list(tensors)
    looked = broadcast([index.shape for index in tensors.values()])
    side_by_side = places == list(range(places[0], places[0] + len(places)))
    first = places[0] if side_by_side else 0
    left = [size for dim, size in enumerate(x.shape) if dim not in tensors]
    shape = (*left[:first], *looked, *left[first:])
    result = made(x.tape, shape, x.dtype, (x,), back=scattered(x))
    keep(result, *tensors.values())
    return result
