"""The ONNX graph as text, checked in beside what a spec compiles to."""

from collections.abc import Iterator, Sequence

from compiler.backends.onnx.folded import folded
from compiler.backends.onnx.listing import Attribute, Block, Element, Step, Weight
from compiler.backends.onnx.versions import ir_version, opset
from compiler.backends.onnx.walk import element_of
from compiler.ir.program import Program
from compiler.ir.size import text
from compiler.ir.types import TensorType


def onnx_text(program: Program) -> str:
    """The nodes that `emit` writes, a line each, with repeats folded: the same text for the same program."""
    listing = folded(program)
    version = opset({step.kind for step in listing.flat()})
    lines = [f"onnx {program.name}: opset {version}, IR {ir_version(version)}", ""]
    lines += [f"input  {name}: {_type(found, program)}" for name, found in listing.inputs.items()]
    lines += [f"output {name}: {_type(found, program)}" for name, found in listing.outputs.items()]
    lines += ["", *_steps(listing.steps, "")]
    if listing.weights:
        lines += ["", "weights", *(f"  {_weight(found)}" for found in listing.weights.values())]
    return "\n".join(lines) + "\n"


def _type(found: TensorType, program: Program) -> str:
    sizes = ", ".join(text(program.key.fix(size)) for size in found.shape)
    return f"{element_of(found)}[{sizes}]"


def _steps(steps: Sequence[Step | Block], indent: str) -> Iterator[str]:
    for step in steps:
        if isinstance(step, Step):
            yield f"{indent}{', '.join(step.outputs)} = {_call(step)}"
            continue
        yield f"{indent}{step.carried} = {step.start}"
        yield f"{indent}repeat {step.times} x"
        yield from _steps(step.steps, indent + "  ")
        yield f"{indent}  {step.carried} = {step.end}"


def _call(step: Step) -> str:
    inputs = ", ".join(each or "-" for each in step.inputs)
    attributes = "".join(
        f" {name}={_attribute(step, name, found)}" for name, found in step.attributes.items()
    )
    return f"{step.domain and step.domain + '.'}{step.kind}({inputs}){attributes}"


def _attribute(step: Step, name: str, found: Attribute) -> str:
    if step.kind == "Cast" and name == "to" and isinstance(found, int):
        return str(Element(found))
    return str(list(found)) if isinstance(found, tuple) else str(found)


def _weight(found: Weight) -> str:
    times = f" x {found.copies}" if found.copies > 1 else ""
    return f"{found.name}: {Element.float32}[{', '.join(map(str, found.shape))}]{times}"
