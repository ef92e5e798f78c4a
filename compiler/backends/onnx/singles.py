"""Nodes that a device computes in float32 where the model's numbers have 16 bits, between casts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.elements import Typed, Typing
from compiler.backends.onnx.kernels import Table
from compiler.backends.onnx.listing import Element, Listing, Step
from compiler.backends.onnx.versions import opset

SINGLE: Final = ".single"
RECURRENT: Final = ("RNN", "GRU", "LSTM")
"""What would cast its weights in every run to be slower than float32 from the beginning."""


class Ports(Frozen):
    """Which inputs and outputs of a node are of the model's numbers."""

    inputs: frozenset[str]
    outputs: frozenset[str]


def runs(known: Table, provider: str, found: Typed) -> bool:
    """Whether a provider has a kernel for a node of these types."""
    kernels = known.serving(provider, found.step.operator, found.since)
    return any(each.takes(found.types) for each in kernels)


def runs_single(known: Table, provider: str, found: Typed) -> bool:
    """Whether it has one for the same node in float32, and casts around it pay."""
    halves = ("float16", "bfloat16")
    types = {name: "float" if each in halves else each for name, each in found.types.items()}
    return found.step.kind not in RECURRENT and runs(known, provider, replace(found, types=types))


def singles(listing: Listing, known: Table, number: str) -> Mapping[str, Ports]:
    """The nodes of an unrolled listing for CUDA, by their names, that have a kernel in float32 and
    none in `number`; those inside another node are not asked for."""
    typing = Typing.of(listing, known, opset({step.operator for step in listing.flat()}), number)
    outer = {step.name for step in listing.steps if isinstance(step, Step)}
    return {
        each.step.name: Ports(_of(typing, each.step.inputs), _of(typing, each.step.outputs))
        for each in typing.steps(listing.steps)
        if each.step.name in outer and not runs(known, "cuda", each)
        if runs_single(known, "cuda", each)
    }


def _of(typing: Typing, names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for name in names if typing.found.get(name) == typing.number)


def between_casts(step: Step, ports: Ports, element: Element) -> Iterator[Step]:
    """The node in float32: what it reads cast before it, what it makes cast to `element` after."""
    before = {n: f"{step.name}/{n}{SINGLE}" for n in step.inputs if n in ports.inputs}
    after = {n: f"{n}{SINGLE}" for n in step.outputs if n in ports.outputs}
    for name, wide in before.items():
        yield cast(f"{step.name}/{name}/Cast", name, wide, Element.float32)
    inputs = tuple(before.get(name, name) for name in step.inputs)
    outputs = tuple(after.get(name, name) for name in step.outputs)
    yield replace(step, inputs=inputs, outputs=outputs)
    for name, wide in after.items():
        yield cast(f"{wide}/Cast", wide, name, element)


def cast(name: str, read: str, made: str, element: Element) -> Step:
    """A node that casts to an element type."""
    return Step(name, "Cast", (read,), (made,), {"to": int(element)})
