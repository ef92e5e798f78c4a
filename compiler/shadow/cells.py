"""Cells of recurrences, step by step as torch computes them on a CPU."""

from collections.abc import Callable
from typing import Final, NamedTuple

from compiler.shadow.pointwise import slope, slopes, unary
from compiler.shadow.products import linear
from compiler.shadow.tensor import Tensor, copied, ghost, keep, written
from compiler.shadow.views import chunk

States = tuple[Tensor, ...]
"""The state [B, D] of a cell; that of an LSTM has two parts."""


class Weights(NamedTuple):
    """What one layer of cells has learned, one way."""

    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor
    bias_hh: Tensor

    def of_input(self, x: Tensor) -> Tensor:
        """The gates' part of the input."""
        return linear(x, self.weight_ih, self.bias_ih)

    def of_state(self, h: Tensor) -> Tensor:
        """The gates' part of the state."""
        return linear(h, self.weight_hh, self.bias_hh)


Cell = Callable[[Tensor, States, Weights, bool], States]
"""The next state, from an input that has gone through its weights already, or has not."""


def plain(x: Tensor, states: States, weights: Weights, mapped: bool) -> States:
    """Elman 1990."""
    gates = _added(weights.of_state(states[0]), x if mapped else weights.of_input(x))
    return (unary("tanh", gates),)


def gated(x: Tensor, states: States, weights: Weights, mapped: bool) -> States:
    """Cho et al. 2014, the reset behind the product."""
    (h,) = states
    given = chunk(x if mapped else weights.of_input(x), 3, 1)
    held = chunk(weights.of_state(h), 3, 1)
    reset = _result(_added(held[0], given[0]))
    update = _result(_added(held[1], given[1]))
    new = _result(given[2] + _scaled(held[2], reset))
    return (_added(_scaled(h - new, update), new),)


def long_short_term(x: Tensor, states: States, weights: Weights, mapped: bool) -> States:
    """Hochreiter & Schmidhuber 1997, with the forget gate of Gers et al. 2000."""
    h, c = states
    gates = _added(weights.of_state(h), x if mapped else weights.of_input(x))
    enter, forget, new, leave = (_result(part) for part in chunk(gates, 4, 1))
    c = _added(forget * c, enter * new)
    return leave * unary("tanh", c), c


class Form(NamedTuple):
    """A kind of cell: how many gates it has and how many parts its state."""

    cell: Cell
    gates: int
    states: int


FORMS: Final = {
    "RNN": Form(plain, 1, 1),
    "GRU": Form(gated, 3, 1),
    "LSTM": Form(long_short_term, 4, 2),
}


def _added(x: Tensor, y: Tensor) -> Tensor:
    """`x.add_(y)`."""
    return written(x, y, back=lambda g: (g, g))


def _result(x: Tensor) -> Tensor:
    """`x.sigmoid_()` or `x.tanh_()`, whose derivative needs what is there now."""
    result = written(x, back=slope("tanh", ghost(x)))
    keep(result, result)
    return result


def _scaled(x: Tensor, y: Tensor) -> Tensor:
    """`x.mul_(y)`: the derivative by y needs what was there, so a copy of it is made."""
    before = copied(x) if y.grad else None
    result = written(x, y, back=slopes("mul", x, y))
    keep(result, *([y] if x.grad else []), *([before] if before is not None else []))
    return result
