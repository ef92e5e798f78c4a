"""An ONNX graph as plain records: what the text prints and the file is made from."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TypeAlias

from compiler.ir.types import TensorType

Attribute: TypeAlias = "int | float | str | Sequence[int] | Element"


class Element(IntEnum):
    """Element types by their numbers in ONNX's `TensorProto.DataType`."""

    float32 = 1
    int64 = 7
    bool = 9

    def __str__(self) -> str:
        return self.name


ELEMENTS: Mapping[str, Element] = {
    "float": Element.float32,
    "int": Element.int64,
    "bool": Element.bool,
}


@dataclass(frozen=True)
class Step:
    """One node: its inputs (empty where an optional one is left out) and outputs by name."""

    name: str
    kind: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute]
    domain: str = ""


@dataclass(frozen=True)
class Block:
    """A repeat that is not unrolled: the steps of its bodies once, over the carried value `carried`."""

    name: str
    times: int
    carried: str
    start: str
    end: str
    steps: "tuple[Step | Block, ...]"


@dataclass(frozen=True)
class Constant:
    """A constant: a scalar where `vector` is false, else a vector."""

    name: str
    element: Element
    values: tuple[int | float | bool, ...]
    vector: bool


@dataclass(frozen=True)
class Weight:
    """A parameter as the file holds it: `parameter` of the model, the other way round if `transposed`.

    `shape` is the shape in the file.
    """

    name: str
    parameter: str
    shape: tuple[int, ...]
    transposed: bool = False
    copies: int = 1


@dataclass
class Listing:
    """Inputs and outputs with their types, and everything between in the order of execution."""

    inputs: dict[str, TensorType] = field(default_factory=dict)
    outputs: dict[str, TensorType] = field(default_factory=dict)
    steps: list[Step | Block] = field(default_factory=list)
    constants: dict[str, Constant] = field(default_factory=dict)
    weights: dict[str, Weight] = field(default_factory=dict)

    def flat(self) -> Iterator[Step]:
        """Every step, those in blocks once."""
        yield from _flat(self.steps)


def pruned(listing: Listing) -> Listing:
    """`listing` without the steps, constants and weights that no output depends on."""
    needed = set(listing.outputs)
    steps = _needed(listing.steps, needed)
    return Listing(
        listing.inputs,
        listing.outputs,
        steps,
        {name: found for name, found in listing.constants.items() if name in needed},
        {name: found for name, found in listing.weights.items() if name in needed},
    )


def _needed(steps: Sequence[Step | Block], needed: set[str]) -> list[Step | Block]:
    kept: list[Step | Block] = []
    for step in reversed(steps):
        if isinstance(step, Block):
            if step.carried in needed:
                needed.add(step.end)
                inside = tuple(_needed(step.steps, needed))
                needed.add(step.start)
                kept.append(
                    Block(step.name, step.times, step.carried, step.start, step.end, inside)
                )
        elif not needed.isdisjoint(step.outputs):
            needed.update(step.inputs)
            kept.append(step)
    return kept[::-1]


def _flat(steps: Sequence[Step | Block]) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Block):
            yield from _flat(step.steps)
        else:
            yield step
