"""Functions of each element: what they keep for the backward pass, and the layout of results."""

from collections.abc import Sequence
from typing import Any, Final, Literal

from compiler.shadow.kinds import BOOL, BOOLEAN, FLOAT, FLOAT32, Kind, promoted
from compiler.shadow.strides import laid_out
from compiler.shadow.tape import Back, UnknownError
from compiler.shadow.tensor import Tensor, ghost, keep, made

Kept = Literal["input", "result", "nothing"]

KEEPS: Final[dict[str, Kept]] = {
    **dict.fromkeys(("neg", "bitwise_not", "ceil", "floor", "sign"), "nothing"),
    **dict.fromkeys(("exp", "tanh", "sigmoid", "relu", "sqrt", "rsqrt"), "result"),
    **dict.fromkeys(
        ("abs", "log", "log1p", "sin", "cos", "silu", "gelu", "erf", "square"), "input"
    ),
}
"""What the derivative of a function of one element is computed from."""

STAGES: Final[dict[str, tuple[tuple[str | int, ...], ...]]] = {
    "neg": (("g",),),
    "rsqrt": (("g",), ("x",), (0, 1)),
    "sqrt": (("x",), ("g", 0)),
    "square": (("x",), (0,), ("g", 1)),
    "abs": (("x",), ("g", 0)),
    "log1p": (("x",), ("g", 0)),
    "sin": (("x",), ("g", 0)),
    "cos": (("x",), (0,), ("g", 1)),
}
"""The operations of a gradient, each by its operands: the gradient of the result, what is kept, or
an operation before. Others take one of both."""

REAL: Final = frozenset(
    ("exp", "log", "log1p", "sin", "cos", "sqrt", "rsqrt", "tanh", "sigmoid", "erf")
)
"""Functions that make floats of integers."""


def elementwise(
    operands: Sequence[Any],
    dtype: Kind,
    parents: Sequence[Tensor] | None = None,
    back: Back | None = None,
) -> Tensor:
    """The result of an elementwise operation: operands broadcast against each other."""
    tensors = [x for x in operands if isinstance(x, Tensor)]
    shape = broadcast([x.shape for x in tensors])
    strides = laid_out(shape, tensors)
    before = tensors if parents is None else parents
    return made(tensors[0].tape, shape, dtype, before, strides, back)


def slope(name: str, x: Tensor) -> Back:
    """The gradient through a function of one element, with what torch makes on its way."""
    dtype = x.dtype

    def back(g: Tensor) -> Tensor:
        there: list[Tensor] = []
        for operands in STAGES.get(name, (("g", "x"),)):
            found = [
                {"g": g, "x": x}[each] if isinstance(each, str) else there[each]
                for each in operands
            ]
            there.append(elementwise(found, dtype))
        return there[-1]

    return back


def slopes(name: str, x: Any, y: Any) -> Back | None:
    """The gradients through a function of two, for those operands that are tensors: torch works
    out the second first."""
    tensors = [each for each in (x, y) if isinstance(each, Tensor)]
    if not any(each.grad for each in tensors):
        return None
    flows = [each.grad if isinstance(each, Tensor) else None for each in (x, y)]
    one, other = (ghost(each) if isinstance(each, Tensor) else each for each in (x, y))

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        def left() -> Tensor:
            if name in ("add", "sub"):
                return g
            if name == "pow":
                power = elementwise((one,), one.dtype)
                scaled = elementwise((power,), one.dtype)
                return binary("mul", g, scaled)
            return binary(name, g, other)

        def right() -> Tensor:
            if name == "add":
                return g
            if name == "sub":
                return elementwise((g,), g.dtype)
            if name == "mul":
                return binary("mul", g, one)
            turned = elementwise((g,), g.dtype)
            once = binary("div", one, other)
            twice = binary("div", once, other)
            return binary("mul", turned, twice)

        second = right() if flows[1] else None
        found = (left() if flows[0] else None, second)
        return tuple(side for side, flow in zip(found, flows, strict=True) if flow is not None)

    known = name in ("add", "sub", "mul", "div") or (name == "pow" and not isinstance(y, Tensor))
    return back if known else None


def unary(name: str, x: Tensor) -> Tensor:
    """A function of one tensor."""
    dtype = FLOAT32 if name in REAL and x.dtype.rank < FLOAT else x.dtype
    result = elementwise((x,), dtype, back=slope(name, ghost(x)))
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
    result = elementwise((x, y), dtype, back=slopes(name, x, y))
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
    bounds, seen = sum(bound is not None for bound in (min, max)), ghost(x)

    def back(g: Tensor) -> Tensor:
        inside = [elementwise((seen,), BOOLEAN) for _ in range(bounds)]
        if bounds == 2:
            inside.append(elementwise(inside, BOOLEAN))
        return elementwise((inside[-1], g, made(g.tape, (), g.dtype)), g.dtype)

    result = elementwise((x,), dtype, back=back)
    keep(result, x)
    return result


def masked_fill(x: Tensor, mask: Tensor, value: float) -> Tensor:
    """`value` where the mask is true."""
    seen = ghost(mask)
    result = elementwise((x, mask), x.dtype, (x,), lambda g: elementwise((g, seen), g.dtype))
    keep(result, mask)
    return result


def where(mask: Tensor, x: Any, y: Any) -> Tensor:
    """`x` where the mask is true, else `y`; numbers become tensors without dimensions."""
    values = tuple(v if isinstance(v, Tensor) else _point(mask, v) for v in (x, y))
    seen, wanted = ghost(mask), [v.grad for v in values]

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        def let(flows: bool) -> Tensor | None:
            return elementwise((seen, g, made(g.tape, (), g.dtype)), g.dtype) if flows else None

        return tuple(map(let, wanted))

    result = elementwise((mask, *values), promoted(values), values, back)
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
    seen = ghost(mask)
    result = elementwise((x,), x.dtype, back=lambda g: elementwise((g, seen), g.dtype))
    keep(result, mask)
    return result


def cast(x: Tensor, dtype: Kind) -> Tensor:
    """The same tensor where the type is the same already."""
    if x.dtype == dtype:
        return x
    before = x.dtype
    return elementwise((x,), dtype, back=lambda g: cast(g, before))


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
