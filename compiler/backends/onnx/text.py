"""The ONNX graph as text, checked in beside what a spec compiles to."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.folded import folded
from compiler.backends.onnx.listing import (
    ELEMENTS,
    Attribute,
    Block,
    Body,
    Constant,
    Element,
    Inner,
    Step,
    Weight,
)
from compiler.backends.onnx.versions import ir_version, opset
from compiler.ir.program import Program
from compiler.ir.size import text
from compiler.ir.target import PORTABLE, Target
from compiler.ir.types import TensorType

CARRIED = "x"
BODIES: Final = {"body": "step", "then_branch": "then", "else_branch": "else"}
"""What a graph within a node is called, by its attribute."""
LAYERS = re.compile(r"\b(\d+)\.\.(\d+)(?::(\d+))?")


def onnx_texts(programs: Mapping[str, Program], target: Target = PORTABLE) -> str:
    """The text of each file of a model, with its name where there are several."""
    several = len(programs) > 1
    return "\n".join(
        onnx_text(program, target, f" {name}" if several else "")
        for name, program in programs.items()
    )


def onnx_text(program: Program, target: Target = PORTABLE, file: str = "") -> str:
    """What `emit` writes, a line each node, repeats folded: the same text for the same program.

    Names within a repeat are relative to the layer, and `x` is what goes from layer to layer.
    """
    listing = folded(program, target)
    version = opset({step.operator for step in listing.flat()})
    lines = [f"onnx {program.name}{file}, opset {version}, IR {ir_version(version)}", ""]
    for word, values, kept in (
        ("input", listing.inputs, {**listing.source, **listing.past}),
        ("output", listing.outputs, {**listing.handed, **listing.present}),
    ):
        lines += [f"{word} {name}: {_type(found, program)}" for name, found in values.items()]
        lines += [f"{word} {name}: {_kept(found, name, program)}" for name, found in kept.items()]
    lines += ["", *_steps(listing.steps, Near())]
    for title, found in (
        ("constants", [_constant(c) for c in listing.constants.values() if _is_long(c)]),
        ("weights", [_weight(weight) for weight in listing.weights.values()]),
    ):
        if found:
            lines += ["", title, *(f"  {line}" for line in found)]
    return "\n".join(lines) + "\n"


class Near(Frozen):
    """Where in the text a name stands: how it is said there."""

    indent: str = ""
    carried: str = ""
    body: Body | None = None

    def __call__(self, name: str) -> str:
        if name and name == self.carried:
            return CARRIED
        if self.body is None:
            return name
        return name.removeprefix(f"{self.body.nodes}/").removeprefix(f"{self.body.owner}.")


def _steps(steps: Sequence[Step | Block], near: Near) -> Iterator[str]:
    for step in steps:
        if isinstance(step, Step):
            made = ", ".join(near(each) or "-" for each in step.outputs)
            yield f"{near.indent}{made} = {_call(step, near)}"
            for name, inner in step.graphs.items():
                yield from _inner(name, inner, near.indent + "  ")
        else:
            yield from _block(step, near)


def _inner(name: str, inner: Inner, indent: str) -> Iterator[str]:
    near = Near(indent + "  ", "", Body(inner.nodes, inner.owner, inner.steps))
    takes = f" of {', '.join(map(near, inner.inputs))}" if inner.inputs else ""
    yield f"{indent}{BODIES.get(name, name)} {inner.nodes}{takes}"
    yield from _steps(inner.steps, near)
    yield f"{near.indent}give {', '.join(map(near, inner.outputs))}"


def _block(block: Block, near: Near) -> Iterator[str]:
    inner = near.indent + "  "
    yield f"{near.indent}{near(block.name)} = repeat {block.times} x, from {near(block.start)}"
    for body in block.bodies:
        yield f"{inner}layer {body.nodes}"
        yield from _steps(body.steps, Near(inner + "  ", block.name, body))
    if block.end != block.name:
        end = Near("", block.name, block.bodies[-1])(block.end)
        yield f"{inner}{CARRIED} = {end}"


def _call(step: Step, near: Near) -> str:
    inputs = ", ".join(near(each) or "-" for each in step.inputs)
    attributes = [f" {name}={_said(step, name)}" for name in step.attributes]
    return f"{step.operator}({inputs}){''.join(attributes)}"


def _said(step: Step, name: str) -> str:
    found: Attribute = step.attributes[name]
    if step.kind == "Cast" and isinstance(found, int):
        return str(Element(found))
    return str(list(found)) if isinstance(found, tuple) else str(found)


def _type(found: TensorType, program: Program) -> str:
    sizes = ", ".join(text(program.key.fix(size)) for size in found.shape)
    return f"{ELEMENTS[found.element]}[{sizes}]"


def _kept(found: TensorType, name: str, program: Program) -> str:
    """The type of what a layer keeps, and how many there are: `h.0..22` stands for 22."""
    spans = LAYERS.findall(name)
    times = prod(len(range(int(first), int(end), int(step or 1))) for first, end, step in spans)
    return _type(found, program) + (f" x {times}" if times > 1 else "")


def _is_long(constant: Constant) -> bool:
    return constant.name.startswith("/") or constant.width is not None


def _constant(found: Constant) -> str:
    first, last = (repr(found.values[at]) for at in (0, -1))
    shape = ", ".join(map(str, found.shape))
    return f"{found.name}: {found.element}[{shape}] = {first} .. {last}"


def _weight(found: Weight) -> str:
    times = f" x {found.copies}" if found.copies > 1 else ""
    return f"{found.name}: {found.element}[{', '.join(map(str, found.shape))}]{times}"
