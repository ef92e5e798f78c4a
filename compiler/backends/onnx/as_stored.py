"""Products with matrices that a checkpoint holds [in, out], as Conv1D of GPT-2 does: read so."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from compiler.backends.onnx.listing import Block, Listing, Step, Weight
from compiler.backends.onnx.products import PRODUCT


def as_stored(listing: Listing, lies: Callable[[Weight], object]) -> Listing:
    """The listing with every matrix turned that only products read and that so `lies` in a file."""
    matrices = {name: w for name, w in listing.weights.items() if _is_matrix(w)}
    turned = {name: held for name, w in matrices.items() if lies(held := _turned(w))}
    if not turned:
        return listing
    for step in listing.flat():
        for name in step.read - ({step.inputs[1]} if _multiplies(step) else set()):
            turned.pop(name, None)
    steps = [step if isinstance(step, Block) else _reading(step, turned) for step in listing.steps]
    found = [turned.get(name, weight) for name, weight in listing.weights.items()]
    return replace(listing, steps=steps, weights={weight.name: weight for weight in found})


def _is_matrix(weight: Weight) -> bool:
    return len(weight.shape) == 2 and not (weight.transposed or weight.parts or weight.integers)


def _turned(weight: Weight) -> Weight:
    return replace(weight, name=f"{weight.name}.T", shape=weight.shape[::-1], transposed=True)


def _multiplies(step: Step) -> bool:
    return step.kind == PRODUCT and step.attributes.get("transB") == 1


def _reading(step: Step, turned: Mapping[str, Weight]) -> Step:
    if not _multiplies(step) or step.inputs[1] not in turned:
        return step
    x, matrix = step.inputs
    return replace(step, inputs=(x, turned[matrix].name), attributes={})
