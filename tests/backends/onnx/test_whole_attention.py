"""No target's file has attention in pieces where the runtime has an operator for it, or a weight
twice."""

from collections.abc import Collection, Iterable
from itertools import product

import pytest

from compiler.backends.onnx.folded import folded
from compiler.backends.onnx.listing import Listing, Step
from compiler.ir.target import Target
from tests.generated.samples import RECURRENT, form, forms
from tests.shipped import DISTINCT

TARGETS = [Target("cpu"), Target("cuda"), Target("cuda", "fp16")]
BETWEEN = {"Cast", "Div", "Mul", "Reshape", "Unsqueeze"}
"""What may stand between the exponentials of scores and the product with the values."""


def readers(steps: Collection[Step], value: str) -> Iterable[Step]:
    """The steps that read a value, those behind a step that only changes its form too."""
    for step in steps:
        if value in step.read:
            yield step
            if step.kind in BETWEEN:
                yield from readers(steps, step.outputs[0])


def in_pieces(listing: Listing) -> list[str]:
    """Exponentials, of a softmax or by themselves, that weigh the rows of another value."""
    steps = list(listing.flat())
    return [
        step.name
        for step in steps
        if step.kind in ("Exp", "Softmax")
        and any(each.kind == "MatMul" for each in readers(steps, step.outputs[0]))
    ]


@pytest.mark.parametrize("path", DISTINCT)
def test_attention_is_one_node_and_no_weight_there_twice(path: str) -> None:
    for whole, target in product(forms(path), TARGETS):
        listing = folded(whole, target)
        sinks_without_a_kernel = "gpt-oss" in path and not target.groups
        if path not in RECURRENT:
            assert bool(in_pieces(listing)) == sinks_without_a_kernel, target
        contents = [each.content for each in listing.weights.values()]
        assert len(set(contents)) == len(contents), target


def test_recurrences_weigh_their_source_step_by_step() -> None:
    """What the test looks for is found where it must be: no operator does that for a recurrence."""
    encoder, decoder = (
        in_pieces(folded(each, Target("cpu"))) for each in forms("specs/history/03-luong-dot.yaml")
    )
    assert (encoder, decoder) == ([], ["/dec/weights/Softmax"])
    portable = folded(form("specs/decoder/gpt-oss-20b.yaml"), Target())
    assert in_pieces(portable)
