"""Which attentions of decoders that count their rows are one node, on the CPU and on CUDA."""

from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from compiler.backends.onnx import emit
from compiler.backends.onnx.listing import Apart
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights
from tests.backends.onnx.seen_cases import (
    CPU,
    FEATURES,
    MIXED,
    SPECS,
    WHOLE,
    beside,
    compiled,
    layers,
)
from tests.verify.models import decoder, made


@pytest.mark.parametrize("name", [*FEATURES, *WHOLE])
def test_no_other_attention_is_in_the_file(name: str) -> None:
    listing = unrolled(compiled(name).whole, CPU)
    kinds = [step.kind for step in listing.flat()]
    assert "GroupQueryAttention" in kinds and not listing.apart
    assert not {"Attention", "Softmax", "Expand"} & set(kinds) - _of_mixtures(kinds)


def _of_mixtures(kinds: list[str]) -> set[str]:
    """What a router needs, where there is one."""
    return {"Softmax", "Expand"} if "TopK" in kinds else set()


@pytest.mark.parametrize("name", MIXED)
def test_what_the_kernel_cannot_do_is_apart_and_the_rest_is_not(name: str) -> None:
    listing, (_, said) = unrolled(compiled(name).whole, CPU), MIXED[name]
    kinds = Counter(step.kind for step in listing.flat())
    assert kinds["GroupQueryAttention"] == len(listing.apart) == 2
    assert all(said in each.reason for each in listing.apart.values())
    assert listing.shares


def test_where_every_attention_is_apart_rows_are_not_counted() -> None:
    listing = unrolled(made(decoder()).whole, CPU)
    assert set(listing.apart.values()) == {Apart("heads are 4 wide, no multiple of 8", 2 * 2 * 4)}
    assert not listing.shares and "ids_mask" not in listing.inputs


def test_cuda_has_no_such_kernel_in_float32() -> None:
    for target, grouped in ((Target("cuda"), 0), (Target("cuda", "fp16"), 1), (Target(), 0)):
        kinds = {step.kind for step in unrolled(compiled("gpt2").whole, target).flat()}
        assert ("GroupQueryAttention" in kinds) == grouped


def test_cuda_adds_no_bias_beside_a_sink() -> None:
    whole = made(SPECS["biases and a sink"]).whole
    found = unrolled(whole, Target("cuda", "fp16")).apart.values()
    assert {each.reason for each in found} == {"CUDA adds no bias beside a sink"}


def test_cuda_takes_heads_up_to_a_width() -> None:
    for width, sink, said in ((512, False, []), (520, False, ["to 512"]), (264, True, ["to 256"])):
        whole = made(layers({"head_dim": width, "sink": sink})).whole
        found = unrolled(whole, Target("cuda", "fp16")).apart.values()
        assert [any(each in one.reason for one in found) for each in said] == [True] * len(said)
        assert bool(found) == bool(said)
        assert not unrolled(whole, CPU).apart


def test_beside_a_bias_a_window_is_in_it_too() -> None:
    """CUDA's kernel that adds biases looks one source further than a window goes elsewhere."""
    whole = made(SPECS["biases of a window"]).whole
    listing = unrolled(whole, Target("cuda", "fp16"))
    steps = {name: step for step in listing.flat() for name in step.outputs}
    grouped = [step for step in listing.flat() if step.kind == "GroupQueryAttention"]
    assert {step.attributes["local_window_size"] for step in grouped} == {3}
    assert {steps[step.inputs[10]].kind for step in grouped} == {"Where"}


@pytest.mark.parametrize("name", ["llama3.1-8b", "documents under padding"])
def test_no_equals_are_ranked_on_cuda(name: str, tmp_path: Path) -> None:
    """Of more than 256 equals TopK has any order there, and a prompt's ids would stand anywhere."""
    found = compiled(name)
    weights = lazy_weights(build(found.generated).state_dict())
    emit({"model": found.whole}, weights, tmp_path, target=Target("cuda", "fp16"))
    model = onnx.load(tmp_path / "model.onnx")
    ranked = {node.input[0]: node for node in model.graph.node if node.op_type == "TopK"}
    outputs = [*ranked, *(node.output[1] for node in ranked.values())]
    model.graph.output.extend(
        onnx.helper.make_tensor_value_info(name, onnx.TensorProto.INT64, None) for name in outputs
    )
    session = onnxruntime.InferenceSession(model.SerializeToString())
    mask = np.array([[1] * 300, [0] * 20 + [1] * 280, [1] * 100 + [0] * 150 + [1] * 50])
    given = {"ids": np.ones((3, 300), np.int64), "ids_mask": mask, **beside(mask.cumsum(1), 300)}
    for each in session.get_inputs():
        if each.name.startswith("past_key_values"):
            given[each.name] = np.zeros((3, each.shape[1], 0, each.shape[3]), np.float16)
    known = {each.name: given[each.name] for each in session.get_inputs()}
    values = session.run(outputs, known)
    for ranks, order in zip(values[: len(ranked)], values[len(ranked) :], strict=True):
        assert all(len(set(row)) == 300 for row in ranks.tolist())
        if not (ranks >= 0).all():  # else it is an order that is turned back
            np.testing.assert_array_equal(order, np.argsort(-mask, axis=1, kind="stable"))
