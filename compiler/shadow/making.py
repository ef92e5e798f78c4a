"""What makes tensors of nothing: ranges, constants, and the like of others."""

from typing import Any

from compiler.shadow.kinds import BOOLEAN, INT64, Kind
from compiler.shadow.length import steps
from compiler.shadow.tape import Tape
from compiler.shadow.tensor import Tensor, made
from compiler.shadow.views import sizes


class Making:
    """Functions of torch that need no tensor."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def zeros(self, *shape: Any, dtype: Kind | None = None, device: Any = None) -> Tensor:
        """A tensor of one number; `ones` and `empty` are no different."""
        return made(self.tape, sizes(shape), dtype or self.tape.default)

    ones = empty = rand = zeros

    def full(self, shape: Any, value: Any, dtype: Kind | None = None, device: Any = None) -> Tensor:
        """A tensor of a given number."""
        return made(self.tape, tuple(shape), dtype or _kind(self.tape, value))

    def tensor(self, value: Any, dtype: Kind | None = None, device: Any = None) -> Tensor:
        """A number, or a list of them."""
        shape = (len(value),) if isinstance(value, list | tuple) else ()
        first = value[0] if shape else value
        return made(self.tape, shape, dtype or _kind(self.tape, first))

    def arange(
        self, start: int, stop: int | None = None, step: int = 1, *, device: Any = None
    ) -> Tensor:
        """Integers."""
        first, last = (0, start) if stop is None else (start, stop)
        return made(self.tape, (steps(last - first, step),), INT64)


def _kind(tape: Tape, value: Any) -> Kind:
    if isinstance(value, bool):
        return BOOLEAN
    return INT64 if isinstance(value, int) else tape.default


def zeros_like(x: Tensor, dtype: Kind | None = None) -> Tensor:
    """A tensor of the same shape."""
    return made(x.tape, x.shape, dtype or x.dtype)


def new_zeros(x: Tensor, *shape: Any) -> Tensor:
    """A tensor of the same type."""
    return made(x.tape, sizes(shape), x.dtype)


def new_full(x: Tensor, shape: Any, value: Any) -> Tensor:
    """A tensor of the same type, of one number."""
    return made(x.tape, tuple(shape), x.dtype)
