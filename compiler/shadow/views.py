"""Other looks at the same memory, and the copies that torch makes where there is none."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from compiler.shadow.length import Length, divided, product
from compiler.shadow.strides import dense, is_dense, viewed
from compiler.shadow.tape import SEVERAL, Back, Step, Tape, UnknownError
from compiler.shadow.tensor import Tensor, alias, axis, edge, ghost, made


def sizes(given: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one sequence."""
    if len(given) == 1 and not isinstance(given[0], int):
        return tuple(given[0])
    return given


def _filled(x: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape with -1 worked out."""
    if -1 not in shape:
        return shape
    rest = divided(product(x.shape), product(size for size in shape if size != -1))
    return tuple(rest if size == -1 else size for size in shape)


def view(x: Tensor, *shape: Any) -> Tensor:
    """Another shape over the same memory."""
    target = _filled(x, sizes(shape))
    strides = viewed(x.shape, x.strides, target)
    if strides is None:
        raise UnknownError("a view that is none")
    return alias(x, target, strides, _shaped(x))


def _shaped(x: Tensor) -> Back:
    """The gradient in the shape that went in."""
    shape = x.shape
    return lambda g: reshape(g, shape)


def reshape(x: Tensor, *shape: Any) -> Tensor:
    """A view where the memory allows one, else a copy."""
    target = _filled(x, sizes(shape))
    strides = viewed(x.shape, x.strides, target)
    if strides is not None:
        return alias(x, target, strides, _shaped(x))
    if viewed(_alone(x, x.shape), x.strides, _alone(x, target)) is not None:
        x.tape.uneven = True
    copy = made(x.tape, x.shape, x.dtype, (x,), back=lambda g: g)
    return alias(copy, target, dense(target), _shaped(x))


def _alone(x: Tensor, shape: tuple[int, ...]) -> list[int]:
    """A shape as it is for a single sequence."""
    return [int(size) // _sequences(x.tape.batch, size) for size in shape]


def _sequences(batch: str, size: int) -> int:
    """How many sequences are in a size."""
    mine = isinstance(size, Length) and batch in size.formula.letters
    return SEVERAL if mine and size % SEVERAL == 0 else 1


def contiguous(x: Tensor) -> Tensor:
    """The same tensor, or a copy in order."""
    if is_dense(x.shape, x.strides):
        return x
    x.tape.uneven |= is_dense(_alone(x, x.shape), x.strides)
    return made(x.tape, x.shape, x.dtype, (x,), back=lambda g: g)


def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Some dimensions as one."""
    first, last = axis(x, start_dim), axis(x, end_dim)
    if first == last:
        return x
    middle = product(x.shape[first : last + 1])
    return reshape(x, (*x.shape[:first], middle, *x.shape[last + 1 :]))


def unflatten(x: Tensor, dim: int, shape: Any) -> Tensor:
    """One dimension as several."""
    at = axis(x, dim)
    parts = tuple(shape)
    if -1 in parts:
        rest = divided(x.shape[at], product(size for size in parts if size != -1))
        parts = tuple(rest if size == -1 else size for size in parts)
    return view(x, (*x.shape[:at], *parts, *x.shape[at + 1 :]))


def transpose(x: Tensor, first: int, second: int) -> Tensor:
    """Two dimensions exchanged."""
    order = list(range(len(x.shape)))
    one, other = axis(x, first), axis(x, second)
    order[one], order[other] = other, one
    return permute(x, order)


def permute(x: Tensor, *order: Any) -> Tensor:
    """Dimensions in another order."""
    places = sizes(order)
    before = [places.index(i) for i in range(len(places))]
    shape, strides = [x.shape[i] for i in places], [x.strides[i] for i in places]
    return alias(x, shape, strides, lambda g: permute(g, before))


def turned(x: Tensor) -> Tensor:
    """All dimensions reversed: `T`."""
    return permute(x, list(reversed(range(len(x.shape)))))


def matrix_turned(x: Tensor) -> Tensor:
    """The last two dimensions exchanged: `mT`."""
    return transpose(x, -2, -1)


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    """A new dimension of one."""
    at = dim + len(x.shape) + 1 if dim < 0 else dim
    step = x.shape[at] * x.strides[at] if at < len(x.shape) else 1
    return alias(
        x,
        (*x.shape[:at], 1, *x.shape[at:]),
        (*x.strides[:at], int(step), *x.strides[at:]),
        lambda g: squeeze(g, at),
    )


def squeeze(x: Tensor, dim: int) -> Tensor:
    """Without a dimension of one; as it is where the dimension is longer."""
    at = axis(x, dim)
    if x.shape[at] != 1:
        return alias(x, x.shape, x.strides, lambda g: g)
    shape, strides = x.shape[:at] + x.shape[at + 1 :], x.strides[:at] + x.strides[at + 1 :]
    return alias(x, shape, strides, lambda g: unsqueeze(g, at))


def expand(x: Tensor, *shape: Any) -> Tensor:
    """Dimensions of one repeated without memory."""
    target = sizes(shape)
    ahead = len(target) - len(x.shape)
    old, steps = (1,) * ahead + x.shape, (0,) * ahead + x.strides
    found = tuple(o if t == -1 else t for o, t in zip(old, target, strict=True))
    strides = [
        0 if o == 1 and t != 1 else step for o, t, step in zip(old, found, steps, strict=True)
    ]
    return alias(x, found, strides, lambda g: g)


def narrow(x: Tensor, dim: int, start: int, count: int) -> Tensor:
    """`count` places of a dimension."""
    at = axis(x, dim)
    return alias(x, (*x.shape[:at], count, *x.shape[at + 1 :]), x.strides, within(x))


def within(x: Tensor) -> Back:
    """The gradient of a part: zeros around it."""
    shape, dtype = x.shape, x.dtype
    return lambda g: made(g.tape, shape, dtype)


def _parted(
    x: Tensor, looks: Sequence[Callable[[Tensor], Tensor]], missing: Sequence[tuple[int, ...]]
) -> tuple[Tensor, ...]:
    """What each look at a tensor gives. Where it has a gradient one step is behind all of them:
    their gradients are put together, with zeros for those that have none, whose shapes are
    `missing`."""
    tape, shape, dtype = x.tape, x.shape, x.dtype
    if not (x.grad and tape.backwards):
        return tuple(look(x) for look in looks)
    parts = [look(ghost(x)) for look in looks]

    def back(*gradients: Tensor | None) -> Tensor:
        pairs = zip(gradients, missing, strict=False)
        zeros = [made(tape, size, dtype) for g, size in pairs if g is None]
        whole = made(tape, shape, dtype)
        del zeros
        return whole

    step = Step(tape, [edge(x)], back, len(parts))
    return tuple(
        Tensor(tape, x.storage, part.shape, part.strides, dtype, step, port)
        for port, part in enumerate(parts)
    )


def split(x: Tensor, size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of given widths, or of one width."""
    at = axis(x, dim)
    widths = [size] * int(x.shape[at] // size) if isinstance(size, int) else size
    looks = [partial(narrow, dim=at, start=0, count=width) for width in widths]
    return _parted(x, looks, [(*x.shape[:at], width, *x.shape[at + 1 :]) for width in widths])


def chunk(x: Tensor, parts: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Equal parts."""
    at = axis(x, dim)
    number = int(parts)
    width = divided(x.shape[at], parts)
    if int(width) * number != x.shape[at]:
        raise UnknownError("parts that are not equal")
    return split(x, [width] * number, at)


def select(x: Tensor, dim: int, index: int = 0) -> Tensor:
    """One place of a dimension, which goes."""
    at = axis(x, dim)
    shape, strides = x.shape[:at] + x.shape[at + 1 :], x.strides[:at] + x.strides[at + 1 :]
    return alias(x, shape, strides, within(x))


class Places(tuple[Tensor, ...]):
    """The places of a sequence whose length is known when the model runs; loops over them fold."""

    tape: Tape
    count_: int

    def __iter__(self) -> Iterator[Tensor]:
        whole = tuple.__iter__(self)
        if not isinstance(self.count_, Length):
            return whole
        return self.tape.loop(list(whole), self.count_)


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Every place of a dimension."""
    at = axis(x, dim)
    size = x.shape[at]
    looks = [partial(select, dim=at)] * int(size)
    found = Places(_parted(x, looks, () if isinstance(size, Length) else [()] * len(looks)))
    found.tape, found.count_ = x.tape, size
    return found
