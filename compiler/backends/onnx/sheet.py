"""A listing in the making: steps, constants and weights with unique names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from compiler.backends.onnx.inside import Turned
from compiler.backends.onnx.listing import (
    Attribute,
    Block,
    Constant,
    Element,
    Inner,
    Listing,
    Step,
    Weight,
)
from compiler.backends.onnx.past import Counts
from compiler.backends.onnx.spot import Spot
from compiler.ir.program import join
from compiler.ir.size import Poly

LONG = 8
"""From this length on, a constant vector is named by its user and not by its numbers."""


@dataclass
class Sheet:
    """Takes steps in order; equal constants and weights are one."""

    listing: Listing = field(default_factory=Listing)
    steps: list[Step | Block] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    known: dict[tuple[object, ...], str] = field(default_factory=dict)
    lengths: dict[Poly, str] = field(default_factory=dict)
    """Vectors of one element with lengths that no port may have: how much a decoder has seen."""
    counts: Counts | None = None
    """How many positions each row of a batch has, in decoders that count them."""
    joined: dict[str, str] = field(default_factory=dict)
    """All keys or values of a decoder by the output that keeps them."""
    flat: dict[str, str] = field(default_factory=dict)
    """Those with heads side by side in the width, by those with heads on an axis."""
    plain: set[str] = field(default_factory=set)
    """Masks of order, a window and padding alone, which a kernel that counts rows has built in."""
    sums: dict[str, tuple[str, str]] = field(default_factory=dict)
    """What was added to make a value, both of its shape, where a norm may do that itself."""
    turned: dict[str, Turned] = field(default_factory=dict)
    """Heads that an attention may turn itself."""

    def step(
        self,
        spot: Spot,
        kind: str,
        inputs: Sequence[str | None],
        outputs: int,
        attributes: Mapping[str, Attribute],
        domain: str = "",
        graphs: Mapping[str, Inner] | None = None,
        named: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Add a node for the operator at a place; returns the names of its outputs.

        The last of them are called as `named` says.
        """
        name = self.unique(f"{spot.nodes}/{kind}")
        made = (name,) if outputs == 1 else tuple(f"{name}:{port}" for port in range(outputs))
        made = (*made[: outputs - len(named)], *named)
        given = list(inputs)
        while given and given[-1] is None:
            given.pop()
        read = tuple(each or "" for each in given)
        self.steps.append(Step(name, kind, read, made, attributes, domain, graphs or {}, spot.span))
        return made

    def maker(self, x: str) -> Step | None:
        """The node that made a value, here and not in a repeat."""
        found = next((step for step in reversed(self.steps) if x in step.made), None)
        return found if isinstance(found, Step) else None

    def biased(self, x: str) -> tuple[str, str] | None:
        """The value and the vector of weights whose sum `x` is."""
        step = self.maker(x)
        if step is None or step.kind != "Add":
            return None
        value, added = step.inputs
        weight = self.listing.weights.get(added)
        return (value, added) if weight is not None and len(weight.shape) == 1 else None

    def constant(
        self, spot: Spot, element: Element, values: Sequence[int | float | bool], vector: bool
    ) -> str:
        """The name of a constant, the same for equal ones."""
        key = ("constant", element, tuple(map(repr, values)), vector)
        if key not in self.known:
            short = len(values) < LONG
            name = _said(element, values, vector) if short else f"{spot.nodes}/{element}s"
            self.known[key] = name = self.unique(name)
            self.listing.constants[name] = Constant(name, element, tuple(values), vector)
        return self.known[key]

    def matrix(self, name: str, width: int, values: Sequence[float]) -> None:
        """Add a constant of rows that are so wide."""
        self.listing.constants[name] = Constant(name, Element.float32, tuple(values), True, width)

    def weight(
        self,
        parameter: str,
        shape: tuple[int, ...],
        transposed: bool = False,
        copies: int = 1,
        member: int | None = None,
    ) -> str:
        """The name of a parameter in the file; `shape` is the parameter's own.

        `member` names one tensor of a parameter that stacks some.
        """
        name = parameter if member is None else member_path(parameter, member)
        name = f"{name}.T" if transposed else name
        one = shape if member is None else shape[1:]
        held = one[::-1] if transposed else one
        made = Weight(name, parameter, held, transposed, copies, member)
        self.listing.weights.setdefault(name, made)
        return name

    def rounded(self, weight: Weight) -> str:
        """The name of a part of what a parameter is rounded to."""
        self.listing.weights.setdefault(weight.name, weight)
        return weight.name

    def blocks(
        self,
        name: str,
        rows: Sequence[Sequence[tuple[str, tuple[int, ...]]]],
        order: tuple[int, ...],
        copies: int = 1,
    ) -> str:
        """The name of a tensor of parameters with their shapes: `rows[i]` in a line make row i."""
        shapes = [shape for _, shape in rows[0]]
        held = (len(rows), sum(shape[0] for shape in shapes), *shapes[0][1:])
        parts = tuple(part for row in rows for part in row)
        made = Weight(name, parts[0][0], held, copies=copies, parts=parts, order=order)
        self.listing.weights.setdefault(name, made)
        return name

    def unique(self, wish: str) -> str:
        """`wish`, or `wish_2`, `wish_3` … where it is taken."""
        count = self.names[wish] = self.names.get(wish, 0) + 1
        return wish if count == 1 else f"{wish}_{count}"


def member_path(parameter: str, index: int) -> str:
    """`experts.gate.weight` of one expert: `experts.3.gate.weight`."""
    owner, _, name = parameter.rpartition(".")
    above, _, operator = owner.rpartition(".")
    return join(above, f"{index}.{operator}.{name}")


def _said(element: Element, values: Sequence[int | float | bool], vector: bool) -> str:
    inside = ", ".join(map(str, values))
    return f"{element}[{inside}]" if vector else f"{element}({inside})"
