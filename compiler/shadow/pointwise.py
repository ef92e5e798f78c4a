"""Functions of each element: what they keep for the backward pass, and the layout of results."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from compiler.shadow.kinds import BOOL, BOOLEAN, FLOAT, FLOAT32, Kind, promoted
from compiler.shadow.strides import laid_out
from compiler.shadow.tape import UnknownError
from compiler.shadow.tensor import Tensor, keep, made

Kept = Literal["input", "result", "nothing"]

KEEPS: Final[dict[str, Kept]] = {
    **dict.fromkeys(("neg", "bitwise_not", "ceil", "floor", "sign"), "nothing"),
    **dict.fromkeys(("exp", "tanh", "sigmoid", "relu", "sqrt", "rsqrt"), "result"),
    **dict.fromkeys(
        ("abs", "log", "log1p", "sin", "cos", "silu", "gelu", "erf", "square"), "input"
    ),
}
"""What the derivative of a function of one element is computed from."""

REAL: Final = frozenset(
    ("exp", "log", "log1p", "sin", "cos", "sqrt", "rsqrt", "tanh", "sigmoid", "erf")
)
"""Functions that make floats of integers."""


def elementwise(
    operands: Sequence[Any], dtype: Kind, parents: Sequence[Tensor] | None = None
) -> Tensor:
    """The result of an elementwise operation: operands broadcast against each other."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    shape = broadcast([x.shape for x in tensors])
    strides = laid_out(shape, tensors)
    return made(tensors[0].tape, shape, dtype, tensors if parents is None else parents, strides)


def unary(name: str, x: Tensor) -> Tensor:
    """A function of one tensor."""
    dtype = FLOAT32 if name in REAL and x.dtype.rank < FLOAT else x.dtype
    result = elementwise((x,), dtype)
    kept = KEEPS[name]
    if kept != "nothing":
        keep(result, x if kept == "input" else result)
    return result


def binary(name: str, x: Any, y: Any) -> Tensor:
    """A function of two tensors, or of a tensor and a number."""
    if name == "compare":
        return elementwise((x, y), BOOLEAN)
    dtype = promoted((x, y))
    if dtype.rank < FLOAT and name == "div":
        dtype = FLOAT32
    result = elementwise((x, y), dtype)
    for each in _kept(name, x, y, result):
        keep(result, each)
    return result


def _kept(name: str, x: Any, y: Any, result: Tensor) -> list[Tensor]:
    match name:
        case "mul":
            return [a for a, b in ((x, y), (y, x)) if isinstance(a, Tensor) and _flows(b)]
        case "div":
            found = [y] if isinstance(y, Tensor) else []
            return [*found, x] if isinstance(x, Tensor) and _flows(y) else found
        case "pow":
            return [each for each in (x, y) if isinstance(each, Tensor)] + (
                [result] if _flows(y) else []
            )
        case _:
            return []


def _flows(x: Any) -> bool:
    return isinstance(x, Tensor) and x.grad


def clamp(x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Elements within bounds."""
    dtype = promoted((x, *(bound for bound in (min, max) if bound is not None)))
    result = elementwise((x,), dtype)
    keep(result, x)
    return result


def masked_fill(x: Tensor, mask: Tensor, value: float) -> Tensor:
    """`value` where the mask is true."""
    result = elementwise((x, mask), x.dtype, (x,))
    keep(result, mask)
    return result


def where(mask: Tensor, x: Any, y: Any) -> Tensor:
    """`x` where the mask is true, else `y`; numbers become tensors without dimensions."""
    values = tuple(v if isinstance(v, Tensor) else _point(mask, v) for v in (x, y))
    result = elementwise((mask, *values), promoted(values), values)
    keep(result, mask)
    return result


def _point(mask: Tensor, value: Any) -> Tensor:
    return made(mask.tape, (), promoted((value,)))


def dropout(x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Elements that are let through, scaled; nothing happens outside of training."""
    if inplace:
        raise UnknownError("dropout in place")
    if not training or not p:
        return x
    mask = made(x.tape, x.shape, BOOLEAN if x.tape.thin_masks else x.dtype)
    result = elementwise((x,), x.dtype)
    keep(result, mask)
    return result


def cast(x: Tensor, dtype: Kind) -> Tensor:
    """The same tensor where the type is the same already."""
    return x if x.dtype == dtype else elementwise((x,), dtype)


def broadcast(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The shape that several broadcast to."""
    rank = max(map(len, shapes))
    found: list[int] = [1] * rank
    for shape in shapes:
        for place, size in enumerate(shape, rank - len(shape)):
            if size != 1:
                found[place] = size
    return tuple(found)


def is_mask(x: Tensor) -> bool:
    """Whether it has booleans."""
    return x.dtype.rank == BOOL
