"""The ONNX nodes of one use of an operator: what its `onnx` rule calls."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compiler.backends.onnx.inside import Inside, Turned, inside
from compiler.backends.onnx.keeping import Keeping
from compiler.backends.onnx.listing import Apart, Element
from compiler.backends.onnx.matrix import Matrix
from compiler.backends.onnx.norms import normed, summed
from compiler.backends.onnx.past import Kept
from compiler.backends.onnx.products import look_up, product, tied_product
from compiler.backends.onnx.sheet import Sheet
from compiler.backends.onnx.sizing import Sizing
from compiler.backends.onnx.spot import Spot
from compiler.backends.onnx.use import Use
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, Size, as_poly, value
from compiler.ir.target import Target
from compiler.ir.types import TensorType

SUMMED = (2, 3)
"""How many dimensions a sum has that ONNX Runtime's norms can make."""


class Nodes(Keeping, Sizing):
    """Implements the `Builder` that rules are written against; a value is its name in the file."""

    float_type: int = Element.float32
    int_type: int = Element.int64
    int32_type: int = Element.int32

    def __init__(
        self,
        sheet: Sheet,
        key: Letters,
        use: Use,
        values: Sequence[Any],
        spot: Spot,
        target: Target,
    ) -> None:
        self.target = target
        self._sheet, self._key, self._use, self._spot = sheet, key, use, spot
        ports = [port.name for port in use.operator.signature.inputs]
        given = [each for each in zip(ports, values, use.inputs, strict=True) if each[2]]
        self._values = {port: name for port, name, _ in given}
        self._shapes: dict[str, tuple[Poly, ...]] = {
            name: tuple(map(key.fix, found.shape))
            for _, name, found in given
            if isinstance(name, str) and found is not None and not self._by_row(found)
        }

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._values:
            return self._weight(name, transposed=False)
        if held := self.held(name):
            return self._side_by_side(held.whole, held.heads * held.width)
        found = self._values[name]
        return self._joined(found) if isinstance(found, Kept) else found

    @property
    def leading(self) -> tuple[Size, ...]:
        """What `*` stands for."""
        return self._use.binding.leading

    def _by_row(self, found: TensorType) -> bool:
        """Whether a type has the same positions for all rows, where each row has its own."""
        lengths = self._sheet.lengths
        return self.counts is not None and bool(found.shape) and as_poly(found.shape[0]) in lengths

    def has(self, port: str) -> bool:
        """Whether an optional port is connected."""
        return port in self._values

    def optional(self, port: str) -> bool:
        """Whether what is connected need not be there: a mask that a kernel has built in, which
        where rows are counted none has but the runtime's own."""
        ports = [each.name for each in self._use.operator.signature.inputs]
        found = self._use.inputs[ports.index(port)]
        return found is not None and found.optional and self.counts is None

    def op(
        self,
        kind: str,
        *inputs: Any,
        outputs: int = 1,
        domain: str = "",
        named: Sequence[str] = (),
        **attributes: Any,
    ) -> Any:
        """Add a node; returns its output, or a tuple of them where `outputs` is above one."""
        made = self._sheet.step(self._spot, kind, inputs, outputs, attributes, domain, named=named)
        if kind == "Transpose" and (known := self._shapes.get(inputs[0])):
            self._shapes[made[0]] = tuple(known[axis] for axis in attributes["perm"])
        return made[0] if outputs == 1 else made

    def residual(self, x: str, y: str) -> str:
        """`x + y` of one shape, which a norm of it may take over."""
        made = summed(self, x, y)
        shape = self._use.inputs[0]
        if shape is not None and len(shape.shape) in SUMMED:
            self._sheet.sums[made] = (x, y)
        return made

    def biased(self, x: str) -> tuple[str, str] | None:
        """The value and the bias whose sum `x` is, where it is one."""
        return self._sheet.biased(x)

    def normed(self, kind: str, x: str, *weights: str, epsilon: float) -> Any:
        """A norm over the last dimension, by ONNX's name, with a gain and perhaps a bias."""
        return normed(self, self._sheet, self._spot, kind, x, weights, epsilon)

    def turned(self, y: str, x: str, tables: Sequence[str], *, adjacent: bool, gain: float) -> None:
        """Say that `y` is `x` turned, which a kernel may do itself."""
        cos, sin = tables
        self._sheet.turned[y] = Turned(x, (cos, sin), adjacent, gain)

    def inside(self, q: str, k: str, v: str, *, turning: bool) -> Inside:
        """What `GroupQueryAttention` is given for queries, keys and values."""
        return inside(self._sheet, q, k, v, turning=turning)

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

    def plain(self, mask: str) -> str:
        """Mark a mask that a kernel that counts rows has built in."""
        if self.counts is not None:
            self._sheet.plain.add(mask)
        return mask

    def is_plain(self, port: str) -> bool:
        """Whether the mask at a port is such a one."""
        return self._values.get(port) in self._sheet.plain

    def fall_back(self, reason: str, kept: Size) -> None:
        """Say why a kernel that counts rows cannot do what this operator does with a cache."""
        self._sheet.listing.apart[self._spot.nodes] = Apart(reason, value(self.fix(kept)))

    def by_group(self) -> None:
        """Say that each group of rows has a product of its own."""
        self._sheet.listing.grouped[self._spot.nodes] = None

    def pick_row(self, x: str, places: str) -> str:
        """Row `places[b]` of every `x[b]`: [B, T, D] and [B] to [B, D]."""
        made: str = self.op("GatherND", x, self.op("Unsqueeze", places, self.ints(1)), batch_dims=1)
        return made

    def transposed(self, parameter: str) -> str:
        """A matrix parameter stored with its two dimensions exchanged."""
        return self._weight(parameter, transposed=True)

    def linear(
        self,
        x: str,
        weight: str,
        bias: str = "",
        *,
        member: int | None = None,
        exact: bool = False,
    ) -> Any:
        """`x Wᵀ + b` with a matrix parameter, or a table that is connected to a port."""
        matrix = self._matrix(weight, member)
        if not self.target.fuses and not matrix.table:
            y = self.op("MatMul", x, self._weight(weight, transposed=True, member=member))
            return self.op("Add", y, self._weight(bias, False, member)) if bias else y
        added = self._weight(bias, False, member) if bias else None
        if not self.target.fuses:
            return tied_product(self, x, matrix, added)
        return product(self, self._sheet, x, matrix, added, exact)

    def look_up(self, weight: str, ids: str) -> Any:
        """Rows of a table, a parameter or connected to a port, by their numbers."""
        return look_up(self, self._sheet, ids, replace(self._matrix(weight), table=True))

    def blocks(self, name: str, rows: Sequence[Sequence[str]], order: Sequence[int]) -> str:
        """Parameters as one tensor: `rows[i]` one after the other make its row i, blocks in
        `order`."""
        shapes = self._use.parameters
        parts = [[(f"{self._spot.owner}.{part}", shapes[part]) for part in row] for row in rows]
        path = f"{self._spot.owner}.{name}"
        return self._sheet.blocks(path, parts, tuple(order), self._spot.copies)

    def borrowed(self, path: str, shape: Sequence[Size]) -> str:
        """The parameter of another node, by its full name, with its shape."""
        return self._sheet.weight(path, tuple(value(self.fix(size)) for size in shape))

    def _matrix(self, name: str, member: int | None = None) -> Matrix:
        copies = self._spot.copies
        if name in self._values:
            given = self._values[name]
            held = self._sheet.listing.weights.get(given)
            outputs, inputs = map(value, self._shapes[given])
            parameter = given if held is None else held.parameter
            return Matrix(parameter, outputs, inputs, copies, table=True, stored=held is not None)
        self._weight(name, transposed=False, member=member)
        outputs, inputs = self._use.parameters[name][-2:]
        return Matrix(f"{self._spot.owner}.{name}", outputs, inputs, copies, member)

    def _weight(self, name: str, transposed: bool, member: int | None = None) -> str:
        if name not in self._use.parameters:
            raise AttributeError(f"{type(self._use.operator).__name__} has no value for {name}")
        path, shape = f"{self._spot.owner}.{name}", self._use.parameters[name]
        return self._sheet.weight(path, shape, transposed, self._spot.copies, member)

    def _constant(self, element: Element, values: Sequence[Any], vector: bool) -> str:
        return self._sheet.constant(self._spot, element, values, vector)
