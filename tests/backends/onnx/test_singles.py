"""What a device has no kernel for in bfloat16 stands between casts, and nothing else does."""

from collections import Counter

import pytest

from compiler.backends.onnx.halves import in_numbers
from compiler.backends.onnx.listing import Element, Step
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Precision, Target
from tests.generated.samples import small


def steps(path: str, target: Target) -> list[Step]:
    listing = in_numbers(unrolled(small(path).whole, target), target)
    return [step for step in listing.steps if isinstance(step, Step)]


@pytest.mark.parametrize(
    ("path", "kind"),
    [("specs/decoder/mixtral-8x7b.yaml", "TopK"), ("specs/vision/vit-b16-cls.yaml", "Conv")],
)
def test_it_reads_and_makes_float32(path: str, kind: str) -> None:
    found = steps(path, Target("cuda", "bf16"))
    makers = {value: step for step in found for value in step.made}
    readers = {value: step for step in found for value in step.read}
    alone = [step for step in found if step.kind == kind and not step.name.startswith("/seen/")]
    assert alone
    for step in alone:
        floats = step.inputs[:1] if kind == "TopK" else step.inputs
        for value in filter(None, floats):
            assert (makers[value].kind, makers[value].attributes["to"]) == ("Cast", Element.float32)
        after = readers[step.outputs[0]]
        assert (after.kind, after.attributes["to"]) == ("Cast", Element.bfloat16)


@pytest.mark.parametrize("precision", ["fp16", "fp32"])
def test_what_has_a_kernel_has_no_casts(precision: Precision) -> None:
    for step in steps("specs/decoder/mixtral-8x7b.yaml", Target("cuda", precision)):
        assert not any(value.endswith(".single") for value in step.read)


def test_whole_numbers_are_not_cast() -> None:
    found = steps("specs/decoder/mixtral-8x7b.yaml", Target("cuda", "bf16"))
    seen = [step for step in found if step.name.startswith("/seen/TopK")]
    assert seen and not any(value.endswith(".single") for step in seen for value in step.read)


@pytest.mark.parametrize("name", ["encoder/minilm-l6", "decoder/mixtral-8x7b"])
def test_every_node_has_a_name_of_its_own(name: str) -> None:
    counts = Counter(step.name for step in steps(f"specs/{name}.yaml", Target("cuda", "bf16")))
    assert counts.most_common(1)[0][1] == 1
