"""The ONNX nodes of one use of an operator: what its `onnx` rule calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from compiler.backends.onnx.listing import Attribute, Element
from compiler.backends.onnx.sheet import Sheet
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.signature import Binding
from compiler.ir.size import Poly, Size, as_poly, constant
from compiler.ir.types import TensorType


@dataclass(frozen=True)
class Use:
    """An operator within a graph, the same for every layer that the graph stands for."""

    operator: Operator
    inputs: tuple[TensorType | None, ...]
    binding: Binding
    parameters: Mapping[str, tuple[int, ...]]


class Nodes:
    """Implements the `Builder` of the operators' rules. Values are the names they have in the file."""

    float_type: int = Element.float32
    int_type: int = Element.int64

    def __init__(
        self,
        sheet: Sheet,
        key: Letters,
        use: Use,
        values: Sequence[Any],
        path: str,
        owner: str,
        copies: int,
    ) -> None:
        """`path` names the nodes and `owner` the parameters; they differ where layers share weights."""
        self._sheet, self._key, self._use = sheet, key, use
        self._path, self._owner, self._copies = path, owner, copies
        ports = use.operator.signature.inputs
        self._values = {
            port.name: v for port, v in zip(ports, values, strict=True) if v is not None
        }
        types = {port.name: found for port, found in zip(ports, use.inputs, strict=True)}
        self._shapes: dict[str, tuple[Poly, ...]] = {
            v: tuple(map(key.fix, found.shape))
            for name, v in self._values.items()
            if isinstance(v, str) and (found := types[name]) is not None
        }

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._values:
            return self._values[name]
        return self._weight(name, transposed=False)

    @property
    def leading(self) -> tuple[Size, ...]:
        """What `*` stands for."""
        return self._use.binding.leading

    def dim(self, letter: str) -> Poly:
        """What a letter of the signature stands for, a number where it is fixed."""
        return self._key.fix(self._use.binding.letters[letter])

    def fix(self, size: Size) -> Poly:
        """A size with its fixed letters put in."""
        return self._key.fix(size)

    def has(self, port: str) -> bool:
        """Whether an optional port is connected."""
        return port in self._values

    def op(
        self, kind: str, *inputs: Any, outputs: int = 1, domain: str = "", **attributes: Any
    ) -> Any:
        """Add a node; returns its output, or a tuple of them where `outputs` is above one."""
        made = self._sheet.step(self._path, kind, inputs, outputs, attributes, domain)
        self._carry_shape(kind, inputs, attributes, made)
        return made[0] if outputs == 1 else made

    def index(self, number: int) -> str:
        """A constant 64-bit integer without dimensions."""
        return self._constant(Element.int64, [number], vector=False)

    def ints(self, *numbers: int) -> str:
        """A constant vector of 64-bit integers."""
        return self._constant(Element.int64, numbers, vector=True)

    def number(self, number: float) -> str:
        """A constant number of the model's float type without dimensions."""
        return self._constant(Element.float32, [number], vector=False)

    def floats(self, numbers: Sequence[float]) -> str:
        """A constant vector of the model's float type."""
        return self._constant(Element.float32, numbers, vector=True)

    def bools(self, values: Sequence[bool]) -> str:
        """A constant vector of booleans."""
        return self._constant(Element.bool, values, vector=True)

    def reshape(self, x: str, shape: Sequence[Size]) -> str:
        """A reshape to sizes that are numbers (-1 for the rest) or lengths known at run time."""
        wanted = [self.fix(size) for size in shape]
        known = self._shapes.get(x, ())
        numbers = [_entry(size, at, known) for at, size in enumerate(wanted)]
        plain = [number for number in numbers if number is not None]
        target = self.ints(*plain) if len(plain) == len(wanted) else self.lengths(*shape)
        made: str = self.op("Reshape", x, target)
        if as_poly(-1) not in wanted:
            self._shapes[made] = tuple(wanted)
        return made

    def lengths(self, *sizes: Size) -> str:
        """Sizes as a vector of 64-bit integers, read off an input port where they are known at run time only."""
        rest = [self.fix(size) for size in sizes]
        pieces: list[str] = []
        while rest:
            piece, taken = self._piece(rest)
            pieces.append(piece)
            rest = rest[taken:]
        if len(pieces) == 1:
            return pieces[0]
        made: str = self.op("Concat", *pieces, axis=0)
        return made

    def range(self, size: Size) -> str:
        """The integers from 0 to below a size."""
        number = constant(self.fix(size))
        if number is not None:
            return self.ints(*range(number))
        end = self.op("Squeeze", self.lengths(size), self.ints(0))
        made: str = self.op("Range", self.index(0), end, self.index(1))
        return made

    def pick_row(self, x: str, places: str) -> str:
        """Row `places[b]` of every `x[b]`: [B, T, D] and [B] to [B, D]."""
        made: str = self.op("GatherND", x, self.op("Unsqueeze", places, self.ints(1)), batch_dims=1)
        return made

    def transposed(self, parameter: str) -> str:
        """A matrix parameter stored with its two dimensions exchanged."""
        return self._weight(parameter, transposed=True)

    def borrowed(self, path: str, shape: Sequence[Size]) -> str:
        """The parameter of another node, by its full name, with its shape."""
        return self._sheet.weight(path, tuple(_number(self.fix(size)) for size in shape), False, 1)

    def _piece(self, sizes: Sequence[Poly]) -> tuple[str, int]:
        """The first sizes as one vector, and how many they are: numbers, or axes in a row of one input port."""
        numbers = list(takewhile(lambda number: number is not None, map(constant, sizes)))
        if numbers:
            return self.ints(*(n for n in numbers if n is not None)), len(numbers)
        for value, shape in self._shapes.items():
            if sizes[0] in shape:
                at = shape.index(sizes[0])
                run = sum(
                    1
                    for _ in takewhile(
                        lambda pair: pair[0] == pair[1], zip(shape[at:], sizes, strict=False)
                    )
                )
                return self.op("Shape", value, start=at, end=at + run), run
        raise ValueError(f"{self._path}: no input has the length {sizes[0]}")

    def _weight(self, name: str, transposed: bool) -> str:
        if name not in self._use.parameters:
            raise AttributeError(f"{type(self._use.operator).__name__} has no value for {name}")
        shape = self._use.parameters[name]
        return self._sheet.weight(f"{self._owner}.{name}", shape, transposed, self._copies)

    def _constant(self, element: Element, values: Sequence[Any], vector: bool) -> str:
        return self._sheet.constant(self._path, element, values, vector)

    def _carry_shape(
        self,
        kind: str,
        inputs: Sequence[Any],
        attributes: Mapping[str, Attribute],
        made: Sequence[str],
    ) -> None:
        known = self._shapes.get(inputs[0], ()) if kind == "Transpose" else ()
        order = attributes.get("perm", ())
        if known and isinstance(order, Sequence):
            self._shapes[made[0]] = tuple(known[axis] for axis in order if isinstance(axis, int))


def _entry(size: Poly, at: int, known: Sequence[Poly]) -> int | None:
    """What stands in a constant target shape: a number, 0 for as it was, or None where neither will do."""
    number = constant(size)
    if number is not None:
        return number
    return 0 if at < len(known) and known[at] == size else None


def _number(size: Poly) -> int:
    number = constant(size)
    if number is None:
        raise ValueError(f"{size} is not fixed")
    return number
