"""A listing in 16-bit numbers: what stands for the model's float type in it becomes one of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import copysign, isinf
from typing import Final

from compiler.backends.onnx.kernels import table
from compiler.backends.onnx.listing import Block, Constant, Element, Inner, Listing, Step
from compiler.backends.onnx.pruning import pruned
from compiler.backends.onnx.singles import Ports, between_casts, cast, singles
from compiler.backends.onnx.words import LARGEST, LEAST
from compiler.ir.target import Precision, Target

HALVES: Final[dict[Precision, Element]] = {"fp16": Element.float16, "bf16": Element.bfloat16}

ANGLES: Final = ("Cos", "Sin")
LENGTHS: Final = "Shape"
MADE_WIDE: Final = (*ANGLES, "ConstantOfShape")
"""Operators whose outputs are float32, whatever the model's numbers are."""
EXACT: Final = ".float32"


def in_numbers(listing: Listing, target: Target) -> Listing:
    """An unrolled listing with its weights, constants and cache in the floats of a target.

    Whoever runs the model gives and gets float32: its inputs and outputs are cast, its cache is
    not. What a device has no kernel for in them is computed in float32.
    """
    element = HALVES.get(target.floats)
    if element is None:
        return listing
    plain = [step for step in listing.steps if isinstance(step, Step)]
    wide = singles(listing, table(), element.name) if target.provider == "cuda" else {}
    exact = _exact(plain)
    steps = list(_steps(plain, exact, wide, listing.constants, element))
    before, after = [], []
    for name in (n for n, found in listing.inputs.items() if found.element == "float"):
        steps = [step.renamed(name, f"{name}.{element}") for step in steps]
        before.append(cast(f"/{name}.{element}/Cast", name, f"{name}.{element}", element))
    for name in (n for n, found in listing.outputs.items() if found.element == "float"):
        steps = [step.renamed(name, f"{name}.{element}") for step in steps]
        after.append(cast(f"/{name}.{element}/Cast", f"{name}.{element}", name, Element.float32))
    whole: list[Step | Block] = [*before, *steps, *after]
    made = replace(
        listing,
        steps=whole,
        constants=_constants(listing.constants, element),
        weights={
            name: replace(found, element=element) if found.element is Element.float32 else found
            for name, found in listing.weights.items()
        },
        number=element,
    )
    return pruned(made)


def _exact(steps: Sequence[Step]) -> frozenset[str]:
    """What sines and cosines are made from: positions have more digits than 16 bits hold. What has
    a length that is asked for need not be exact."""
    needed: set[str] = set()
    for step in reversed(steps):
        made = not needed.isdisjoint(step.outputs)
        if step.kind in ANGLES or (made and step.kind != LENGTHS):
            needed.update(step.inputs)
    return frozenset(needed)


def _steps(
    steps: Sequence[Step],
    exact: frozenset[str],
    wide: Mapping[str, Ports],
    constants: Mapping[str, Constant],
    element: Element,
) -> Iterator[Step]:
    """The steps in the other type, `exact` ones as they were, `wide` ones between casts."""
    for step in steps:
        if step.kind in MADE_WIDE or not exact.isdisjoint(step.outputs):
            names = {n: f"{n}{EXACT}" for n in step.inputs if _is_float(constants.get(n))}
            inputs = tuple(names.get(name, name) for name in step.inputs)
            made = step.outputs[0]
            if step.kind not in MADE_WIDE:
                yield replace(step, inputs=inputs)
                continue
            yield replace(step, inputs=inputs, outputs=(f"{made}{EXACT}",))
            yield cast(f"{step.name}/Cast", f"{made}{EXACT}", made, element)
        elif step.name in wide:
            yield from between_casts(_cast_to(step, element), wide[step.name], element)
        else:
            yield _cast_to(step, element)


def _is_float(found: Constant | None) -> bool:
    return found is not None and found.element is Element.float32


def _constants(found: Mapping[str, Constant], element: Element) -> dict[str, Constant]:
    """Every constant in the other type, and those of floats as they were beside."""
    made = {name: _constant(each, element) for name, each in found.items()}
    kept = {n: each for n, each in found.items() if _is_float(each)}
    return made | {f"{n}{EXACT}": replace(each, name=f"{n}{EXACT}") for n, each in kept.items()}


def _cast_to(step: Step, element: Element) -> Step:
    """A step that makes the model's float type makes the other one."""
    attributes = dict(step.attributes)
    if step.kind == "Cast" and attributes["to"] == Element.float32:
        attributes["to"] = int(element)
    graphs = {name: _inner(inner, element) for name, inner in step.graphs.items()}
    return replace(step, attributes=attributes, graphs=graphs)


def _inner(inner: Inner, element: Element) -> Inner:
    steps: Sequence[Step] = [_cast_to(step, element) for step in inner.steps]
    return replace(inner, steps=tuple(steps))


def _constant(found: Constant, element: Element) -> Constant:
    if found.element is not Element.float32:
        return found
    return replace(found, element=element, values=tuple(_near(v, element) for v in found.values))


def _near(number: float, element: Element) -> float:
    """A number within what the type has; what keeps a divisor from zero does not become zero."""
    if not number or isinf(number):
        return number
    return copysign(min(max(abs(number), LEAST[element]), LARGEST[element]), number)
