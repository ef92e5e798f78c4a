"""A tensor without numbers: a shape whose lengths are formulas, a type, and the storage it shares.

Operators and methods behave as those of torch on a CPU: which results are views, what a backward
pass will need, and what is made on the way.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from compiler.shadow.kinds import Kind
from compiler.shadow.length import product
from compiler.shadow.strides import dense, is_dense
from compiler.shadow.tape import Back, Edge, Step, Storage, Tape, UnknownError


class Device:
    """The place where tensors are."""

    type = "cpu"


def _one(name: str) -> Callable[[Any], Any]:
    def apply(x: Any) -> Any:
        from compiler.shadow.pointwise import unary

        return unary(name, x)

    return apply


def _two(name: str, swapped: bool = False) -> Callable[[Any, Any], Any]:
    def apply(x: Any, y: Any) -> Any:
        from compiler.shadow.pointwise import binary

        return binary(name, y, x) if swapped else binary(name, x, y)

    return apply


class Tensor:
    """A view of a storage; `step` is that of the backward pass which leads on from it, if any, and
    `port` says which of its results it is. `looks` says that it holds on to another that has
    the same memory."""

    __slots__ = ("dtype", "looks", "port", "shape", "step", "storage", "strides", "tape")

    device = Device()
    is_meta = False

    def __init__(
        self,
        tape: Tape,
        storage: Storage,
        shape: Sequence[int],
        strides: Sequence[int],
        dtype: Kind,
        step: Step | None,
        port: int = 0,
    ) -> None:
        self.tape, self.storage, self.dtype, self.step = tape, storage, dtype, step
        self.port = port
        self.looks = False
        self.shape, self.strides = tuple(shape), tuple(strides)

    __neg__, __invert__ = _one("neg"), _one("bitwise_not")
    __add__, __radd__ = _two("add"), _two("add")
    __sub__, __rsub__ = _two("sub"), _two("sub", swapped=True)
    __mul__, __rmul__ = _two("mul"), _two("mul")
    __truediv__, __rtruediv__ = _two("div"), _two("div", swapped=True)
    __floordiv__, __mod__ = _two("floor_divide"), _two("remainder")
    __pow__, __rpow__ = _two("pow"), _two("pow", swapped=True)
    __and__, __or__ = _two("bitwise_and"), _two("bitwise_or")
    __lt__, __le__, __gt__, __ge__ = (_two("compare") for _ in range(4))
    __eq__, __ne__ = _two("compare"), _two("compare")
    __hash__ = None  # type: ignore[assignment]  # equality is elementwise

    def __matmul__(self, other: "Tensor") -> "Tensor":
        from compiler.shadow.products import matmul

        return matmul(self, other)

    def __getattr__(self, name: str) -> Any:
        from compiler.shadow.names import METHODS, PROPERTIES

        if name in PROPERTIES:
            return PROPERTIES[name](self)
        if name in METHODS:
            return partial(METHODS[name], self)
        raise UnknownError(f"Tensor.{name}")

    def __getitem__(self, index: Any) -> "Tensor":
        from compiler.shadow.indexing import picked

        return picked(self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        """Elements are written in place; nothing comes or goes."""

    def __iter__(self) -> Iterator["Tensor"]:
        raise UnknownError("iteration over a tensor")

    def __bool__(self) -> bool:
        raise UnknownError("a decision on the numbers in a tensor")

    @property
    def grad(self) -> bool:
        """Whether gradients flow through it."""
        return self.step is not None

    @property
    def in_order(self) -> bool:
        """Whether its elements lie one after the other: `is_contiguous`."""
        return is_dense(self.shape, self.strides)


def made(
    tape: Tape,
    shape: Sequence[int],
    dtype: Kind,
    parents: Sequence[Tensor] = (),
    strides: Sequence[int] | None = None,
    back: Back | None = None,
) -> Tensor:
    """A new tensor with memory of its own, computed from `parents`; `back` gives a gradient for
    each of them from that of the result."""
    sizes = tuple(shape)
    laid = dense(sizes) if strides is None else strides
    storage = tape.storage(sizes, dtype.size)
    step = stepped(tape, parents, back) if dtype.is_floating_point else None
    return Tensor(tape, storage, sizes, laid, dtype, step)


def stepped(tape: Tape, parents: Sequence[Tensor], back: Back | None = None) -> Step | None:
    """A step behind those of its parents, if they have any."""
    edges = [edge(x) for x in parents]
    return Step(tape, edges, back) if any(edges) else None


def edge(x: Tensor) -> Edge | None:
    """Where gradients of a tensor go."""
    return None if x.step is None else Edge(x.step, x.port, x.shape, x.dtype)


def alias(
    x: Tensor, shape: Sequence[int], strides: Sequence[int], back: Back | None = None
) -> Tensor:
    """Another look at the same memory."""
    step, port = x.step, x.port
    if step is not None and x.tape.backwards:
        step, port = stepped(x.tape, (x,), back), 0
    found = Tensor(x.tape, x.storage, shape, strides, x.dtype, step, port)
    found.looks = True
    return found


def ghost(x: Tensor) -> Tensor:
    """The look of a tensor without its memory, for what a backward pass will read."""
    return Tensor(x.tape, Storage(x.tape, None), x.shape, x.strides, x.dtype, None)


def written(x: Tensor, *others: Tensor, back: Back | None = None) -> Tensor:
    """What stands in the memory of `x` behind an operation in place."""
    step = stepped(x.tape, (x, *others), back)
    return Tensor(x.tape, x.storage, x.shape, x.strides, x.dtype, step)


def copied(x: Tensor) -> Tensor:
    """What a backward pass needs of a tensor that is written over; else nobody makes it."""
    storage = x.tape.storage(x.shape, x.dtype.size)
    if storage.index is not None:
        x.tape.copies.add(storage.index)
    return Tensor(x.tape, storage, x.shape, dense(x.shape), x.dtype, None)


def keep(result: Tensor, *tensors: Tensor) -> None:
    """The backward pass of what made `result` needs these tensors."""
    if result.step is not None and not result.tape.forgets:
        for each in tensors:
            result.step.keep(each.storage)


def through(
    result: Tensor, given: Sequence[Tensor], again: Callable[[Sequence[Tensor]], Tensor]
) -> Tensor:
    """The result of what a backward pass computes again: one step that keeps what was given."""
    if result.step is None:
        return result
    tape, ghosts = result.tape, [ghost(x) for x in given]
    flows = [x.grad for x in given]

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        from compiler.shadow.backward import recomputed

        entered = [
            Tensor(tape, x.storage, x.shape, x.strides, x.dtype, Step(tape) if flow else None)
            for x, flow in zip(ghosts, flows, strict=True)
        ]
        return recomputed(tape, entered, again, g)

    step = Step(result.tape, [edge(x) for x in given], back)
    for each in given:
        step.keep(each.storage)
    parts = (result.tape, result.storage, result.shape, result.strides, result.dtype)
    return Tensor(*parts, step)


def elements(x: Tensor) -> int:
    """How many elements a tensor has."""
    return product(x.shape)


def axis(x: Tensor, dim: int) -> int:
    """A dimension counted from the front."""
    return dim + len(x.shape) if dim < 0 else dim
