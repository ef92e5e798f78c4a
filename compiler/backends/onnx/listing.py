"""An ONNX graph as plain records: what the text prints and the file is made from."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from math import prod
from typing import Literal, TypeAlias

from archspec.source.frozen import Frozen
from archspec.source.span import NOWHERE, Span
from compiler.ir.integers import Integers
from compiler.ir.types import TensorType

Attribute: TypeAlias = "int | float | str | Sequence[int]"
Part: TypeAlias = Literal["codes", "scales", "zeros"]


class Element(IntEnum):
    """Element types by their numbers in ONNX's `TensorProto.DataType`."""

    float32 = 1
    uint8 = 2
    int8 = 3
    int32 = 6
    int64 = 7
    bool = 9
    float16 = 10
    bfloat16 = 16

    def __str__(self) -> str:
        return self.name


WIDTHS: Mapping[Element, int] = {
    Element.float32: 4,
    Element.float16: 2,
    Element.bfloat16: 2,
    Element.uint8: 1,
    Element.int8: 1,
}
"""Bytes of the numbers that weights consist of."""

ELEMENTS: Mapping[str, Element] = {
    "float": Element.float32,
    "int": Element.int64,
    "bool": Element.bool,
}


class Inner(Frozen):
    """A graph that a node runs, over and over or in one of two cases; what is not made in it comes
    from around the node."""

    nodes: str
    owner: str
    inputs: Mapping[str, TensorType]
    outputs: Mapping[str, TensorType]
    steps: "tuple[Step, ...]"

    @property
    def read(self) -> frozenset[str]:
        """The values from around that it reads."""
        made = {*self.inputs, *(name for step in self.steps for name in step.outputs)}
        found = {name for step in self.steps for name in step.read} | set(self.outputs)
        return frozenset(found - made)

    def renamed(self, old: str, new: str) -> "Inner":
        """The graph with a value from around called otherwise."""
        return replace(self, steps=tuple(step.renamed(old, new) for step in self.steps))


@dataclass(frozen=True)
class Step:
    """One node: its inputs (empty where an optional one is left out) and outputs by name, and the
    graphs that it runs by the names of their attributes."""

    name: str
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute]
    domain: str = ""
    graphs: Mapping[str, Inner] = field(default_factory=dict)
    span: Span = NOWHERE
    """The place of the spec that says it."""

    def renamed(self, old: str, new: str) -> "Step":
        """The step with a value called otherwise."""
        inputs, outputs = (
            tuple(new if each == old else each for each in names)
            for names in (self.inputs, self.outputs)
        )
        graphs = {name: inner.renamed(old, new) for name, inner in self.graphs.items()}
        return replace(self, inputs=inputs, outputs=outputs, graphs=graphs)

    @property
    def operator(self) -> str:
        """The operator with its domain, as `com.microsoft.QuickGelu`."""
        return f"{self.domain}.{self.kind}" if self.domain else self.kind

    @property
    def read(self) -> frozenset[str]:
        """Every value that must be there before it."""
        around = frozenset[str]().union(*(inner.read for inner in self.graphs.values()))
        return frozenset(filter(None, self.inputs)) | around

    @property
    def made(self) -> tuple[str, ...]:
        """The values that are there after it."""
        return tuple(filter(None, self.outputs))

    def trimmed(self, needed: Collection[str]) -> "Step":
        """The step without a last output behind left-out ones that nobody needs."""
        spare = "" in self.outputs and self.outputs[-1] not in needed
        return replace(self, outputs=self.outputs[:1]) if spare else self


class Body(Frozen):
    """The steps of one body; its nodes are below the path `nodes`, its weights below `owner`."""

    nodes: str
    owner: str
    steps: "tuple[Step | Block, ...]"


class Block(Frozen):
    """A repeat that is not unrolled: `name` is `start` at first and `end` after each round."""

    name: str
    times: int
    start: str
    end: str
    bodies: tuple[Body, ...]

    def renamed(self, old: str, new: str) -> "Block":
        """The block with a value called otherwise, within its bodies too."""
        name, start, end = (new if n == old else n for n in (self.name, self.start, self.end))
        bodies = tuple(
            replace(body, steps=tuple(step.renamed(old, new) for step in body.steps))
            for body in self.bodies
        )
        return Block(name, self.times, start, end, bodies)

    @property
    def made(self) -> tuple[str, ...]:
        """The value that is there after it."""
        return (self.name,)


class Constant(Frozen):
    """A constant: a scalar where `vector` is false, else a vector, or rows of a `width`."""

    name: str
    element: Element
    values: tuple[int | float | bool, ...]
    vector: bool
    width: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in the file."""
        if not self.vector:
            return ()
        count = len(self.values)
        return (count,) if self.width is None else (count // self.width, self.width)


@dataclass(frozen=True)
class Weight:
    """The parameter `parameter` as the file holds it, rows and columns exchanged if `transposed`.

    `shape` is the shape in the file. With `member` it is one tensor of a parameter that stacks
    some. Where there are `parts`, these are the parameters that it is made of, with their shapes,
    one after the other, each as equal blocks of its rows in `order`. With `integers` it is a `part`
    of what the parameter, a matrix, is rounded to. With `woven` it is a stack, of each member of
    which that many equal parts take turns row by row.
    """

    name: str
    parameter: str
    shape: tuple[int, ...]
    transposed: bool = False
    copies: int = 1
    member: int | None = None
    parts: tuple[tuple[str, tuple[int, ...]], ...] = ()
    order: tuple[int, ...] = ()
    integers: Integers | None = None
    part: Part = "codes"
    woven: int = 0
    element: Element = Element.float32

    def members(self) -> "tuple[Weight, ...]":
        """The tensors of a stack that is woven of some, else the weight itself."""
        if not self.woven:
            return (self,)
        return tuple(replace(self, member=member) for member in range(self.shape[0]))

    @property
    def nbytes(self) -> int:
        """The bytes of it in the file."""
        return prod(self.shape) * WIDTHS[self.element]

    @property
    def content(self) -> tuple[object, ...]:
        """The same for two weights that consist of the same bytes, whatever their shapes."""
        whole = (self.parameter, self.member, self.transposed, self.parts, self.order, self.woven)
        return whole if self.integers is None else (*whole, self.integers, self.part)


class Apart(Frozen):
    """Why an attention is not one node with its cache, and how many numbers a position it keeps:
    every step copies those of all positions."""

    reason: str
    kept: int


@dataclass
class Listing:
    """Inputs and outputs with their types, and everything between in the order of execution.

    `past` are more inputs and `present` more outputs: what a decoder keeps from step to step.
    `source` are more inputs that its encoder made, which are the encoder's outputs `handed`.
    `matrices` has the paths of those that the target has a say in, kept or not; `number` is the
    element type of the cache, and `shares` says whether past and present may lie in one buffer that
    is longer than what they hold. `apart` has the attentions, by the paths of their nodes, that are
    not one with their cache, and `grouped` the maps of experts that have a product each.
    """

    inputs: dict[str, TensorType] = field(default_factory=dict)
    outputs: dict[str, TensorType] = field(default_factory=dict)
    past: dict[str, TensorType] = field(default_factory=dict)
    present: dict[str, TensorType] = field(default_factory=dict)
    source: dict[str, TensorType] = field(default_factory=dict)
    handed: dict[str, TensorType] = field(default_factory=dict)
    steps: list[Step | Block] = field(default_factory=list)
    constants: dict[str, Constant] = field(default_factory=dict)
    weights: dict[str, Weight] = field(default_factory=dict)
    matrices: dict[str, None] = field(default_factory=dict)
    number: Element = Element.float32
    shares: bool = False
    apart: dict[str, Apart] = field(default_factory=dict)
    grouped: dict[str, None] = field(default_factory=dict)

    def taken(self) -> dict[str, TensorType]:
        """All inputs of the model."""
        return {**self.inputs, **self.source, **self.past}

    def given(self) -> dict[str, TensorType]:
        """All outputs of the model."""
        return {**self.outputs, **self.handed, **self.present}

    def flat(self) -> Iterator[Step]:
        """Every step, those in blocks once."""
        yield from flat(self.steps)


def flat(steps: Sequence[Step | Block]) -> Iterator[Step]:
    """Every step of some, those in blocks once."""
    for step in steps:
        if isinstance(step, Step):
            yield step
            for inner in step.graphs.values():
                yield from flat(inner.steps)
            continue
        for body in step.bodies:
            yield from flat(body.steps)
