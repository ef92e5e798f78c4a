"""Decoders that count their rows: what torch computes, for rows of any length in one batch, whether
an attention is one node with its cache or not."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from compiler.backends.onnx import emit
from compiler.backends.onnx.listing import Apart
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.passes.last_position import last_position
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.compiled import Compiled
from compiler.verify.module import build, call, shake
from compiler.verify.parity import lazy_weights
from tests.backends.onnx.built import Array
from tests.generated.samples import small
from tests.verify.models import Mapping, decoder, made

CPU = Target("cpu")
FEATURES = {
    "bloom-560m": "linear biases",
    "falcon-40b": "parallel residuals, grouped keys",
    "gemma2-2b": "windows and soft caps",
    "gpt-j-6b": "adjacent and partial rotation",
    "gpt-oss-20b": "windows, sinks, a mixture",
    "gpt2": "learned places",
    "llama3.1-8b": "scaled rotation",
    "opt-125m": "places of what is real, padding on either side",
    "qwen3-0.6b": "norms of queries and keys",
    "starcoderbase-1b": "one key for all queries",
}
PROMPTS, STEPS, LENGTH = (6, 4), 3, 9


def layers(*cycle: Mapping, embed: Mapping | None = None, **tokens: Any) -> Mapping:
    """A decoder of two attentions for each one given, whose heads are two of a width of 8."""
    spec = decoder(**(embed or {}))
    usual = {"heads": 2, "head_dim": 8, "mask": "causal"}
    spec["inputs"] = {"ids": {"tokens": tokens} if tokens else "tokens"}
    given = [{**usual, **each} for each in cycle]
    variants = [{"attn": {"attention": {k: v for k, v in e.items() if v}}} for e in given]
    stack = {"repeat": 2 * len(cycle), "layer": variants[0]}
    spec["graph"]["h"]["stack"] = {**stack, **({"cycle": variants} if len(cycle) > 1 else {})}
    return spec


def untied(spec: Mapping) -> Mapping:
    """The same with a head of its own, where the table is narrower than the layers."""
    spec["graph"]["logits"] = {"unembed": {"vocab": 31}}
    return spec


ROPE: Mapping = {"rope": {"theta": 10000}}
BESIDE: Mapping = {"sinusoid": {"max": 40, "combine": "concat", "width": 4}}
ALIBI: Mapping = {"position_bias": {"alibi": {}}}
T5: Mapping = {"position_bias": {"t5": {"buckets": 8, "max_distance": 16}}}
DYNAMIC: Mapping = {"rope": {"theta": 100, "scaling": {"dynamic": {"factor": 2, "original": 32}}}}
LATENT: Mapping = {"latent": {"kv_rank": 4, "nope_dim": 4, "rope_dim": 2, "v_dim": 4}}
YARN: Mapping = {"scaling": {"yarn": {"factor": 4, "original": 16}}}


def turned(*rope: Mapping, **more: Any) -> Mapping:
    """A decoder whose heads, 32 wide, are turned."""
    each = [{"head_dim": 32, "rope": {"theta": 100, **said}, **more} for said in rope]
    return layers(*each, max=64)


INSIDE = {
    "turned": turned({}),
    "neighbours turned": turned({"pairs": "adjacent"}),
    "a part turned": turned({"fraction": 0.5}),
    "two bases": turned({}, {"theta": 10000}),
    "stretched": turned(YARN, scale=0.3),
    "stretched and capped": turned(YARN, softcap=5.0),
    "slow pairs": turned({"scaling": {"llama3": {"factor": 8, "original": 16}}}),
    "still pairs": turned({"fraction": 0.5, "scaling": {"proportional": {}}}),
    "turned with a bias each": turned({}, bias="qkv", kv_heads=1),
    "normed and turned": turned({}, kv_heads=1, qk_norm={"rms": 1e-6}),
}
"""Decoders whose heads `GroupQueryAttention` turns itself."""
OUTSIDE = {
    "a little turned": turned({"dim": 8}),
    "a part stretched": turned({"fraction": 0.5, **YARN}),
    "turned and normed": turned({}, qk_norm={"rms": 1e-6, "when": "after_rope"}),
    "turned and sharpened": turned({}, temperature={"scale": 0.1, "floor": 2}),
    "turned by the length": turned({"scaling": {"dynamic": {"factor": 2, "original": 32}}}),
}
"""Others that are turned before it."""
WHOLE = {
    **INSIDE,
    **OUTSIDE,
    "pieces beside all, sharpened": layers(
        {**ROPE, "chunk": 3}, {"temperature": {"scale": 0.1, "floor": 2}}
    ),
    "pieces of a window": layers({**ROPE, "chunk": 4, "window": 2}),
    "documents": layers(ROPE, segments=True),
    "documents under padding": layers({**ROPE, "window": 3}, ALIBI, segments=True, padded=True),
    "types": layers(ROPE, embed={"types": 2}),
    "sinusoids": layers({}, embed={"positions": {"sinusoid": {"max": 40}}}),
    "sinusoids beside": untied(layers({}, embed={"positions": BESIDE})),
    "buckets": layers(T5),
    "buckets of documents": layers(T5, segments=True),
    "biases of a window": layers({**ALIBI, "window": 3}),
    "biases and a sink": layers({**ALIBI, "sink": True}, padded=True),
    "capped pieces with a sink": layers({"chunk": 3, "softcap": 5.0, "sink": True}),
    "angles by the length": layers(DYNAMIC),
}
"""Decoders of `GroupQueryAttention` alone whose masks and places are more than order."""
MIXED = {
    "an odd width": (layers(ROPE, {**ROPE, "head_dim": 12}), "heads are 12 wide"),
    "odd pieces": (layers({**ROPE, "head_dim": 12, "chunk": 3}, ROPE), "heads are 12 wide"),
    "odd documents": (layers({"head_dim": 12, **T5}, ROPE, segments=True), "heads are 12 wide"),
    "odd biases": (layers({"head_dim": 12, **ALIBI}, ROPE, padded=True), "heads are 12 wide"),
    "wide values": (layers(ROPE, {**ROPE, "value_dim": 16}), "values are 16 wide"),
    "a bias before a cap": (layers({**ALIBI, "softcap": 5.0}, ROPE), "before they are capped"),
    "sums": (layers({"score": "additive"}, ROPE), "sums of queries"),
    "an odd sink": (layers({"sink": True, "head_dim": 12}, ROPE), "heads are 12 wide"),
    "rows": (layers({**LATENT, "head_dim": None}, ROPE), "one vector a position"),
    "distances": (
        layers({"position_bias": {"disentangled": {"max_distance": 16}}}, ROPE),
        "reads all keys",
    ),
}
"""Decoders that have such nodes beside others, and why."""
SPECS = {**WHOLE, **{name: spec for name, (spec, _) in MIXED.items()}}


@cache
def compiled(name: str) -> Compiled:
    return small(f"specs/decoder/{name}.yaml") if name in FEATURES else made(SPECS[name])


@dataclass(frozen=True)
class Case:
    """A session beside the logits of torch for `ids` [2, 9], two sequences without padding."""

    session: Session
    ids: Array
    wanted: Array

    def step(self, ids: Array, mask: Array, past: Any) -> tuple[Array, Any]:
        """The logits of new ids under a mask of all, with what else the model takes."""
        places = np.where(mask, mask.cumsum(1) - 1, 5)
        given = {"ids": ids, "ids_mask": mask, **beside(places, ids.shape[1])}
        known = {name: value for name, value in given.items() if name in self.session.inputs}
        outputs, past = self.session.step(known, past)
        return outputs["logits"], past


def beside(places: Array, new: int) -> dict[str, Array]:
    """Documents of four positions, and types by turns."""
    return {"ids_segments": places // 4, "ids_types": places[:, -new:] % 2}


@pytest.fixture(params=[*FEATURES, *SPECS], scope="module")
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Case:
    found = compiled(request.param)
    model = build(found.generated)
    shake(model)
    folder = tmp_path_factory.mktemp("rows")
    emit(found.files, lazy_weights(model.state_dict()), folder, target=CPU)
    vocabulary = next(k.size for k in found.program.key.key.values() if k.role == "vocabulary")
    ids = np.random.default_rng(0).integers(0, vocabulary or 9, (2, LENGTH))
    places = np.arange(LENGTH)[None].repeat(2, axis=0)
    every = {"ids": ids, "ids_mask": np.ones((2, LENGTH), bool), **beside(places, LENGTH)}
    given = {n: torch.from_numpy(v) for n, v in every.items() if n in found.program.main.inputs}
    with torch.no_grad():
        (wanted,) = call(model, given)
    return Case(open_session(folder, device="cpu"), ids, wanted.numpy())


@pytest.mark.parametrize("side", ["left", "right", "between"])
def test_rows_of_a_batch_go_on_where_they_have_ended(case: Case, side: str) -> None:
    mask = np.ones((2, PROMPTS[0]), bool)
    mask[1, {"left": [0, 1], "right": [4, 5], "between": [1, 4]}[side]] = False
    prompt = case.ids[:, : PROMPTS[0]].copy()
    prompt[1, mask[1]] = case.ids[1, : PROMPTS[1]]
    logits, past = case.step(prompt, mask, None)
    for row, length in enumerate(PROMPTS):
        near(logits[row, mask[row]], case.wanted[row, :length])
    for step in range(STEPS):
        mask = np.concatenate((mask, np.ones((2, 1), bool)), axis=1)
        new = np.stack([case.ids[row, end + step] for row, end in enumerate(PROMPTS)])[:, None]
        logits, past = case.step(new, mask, past)
        for row, end in enumerate(PROMPTS):
            near(logits[row, 0], case.wanted[row, end + step])


@pytest.mark.parametrize("room", [None, LENGTH + 4], ids=["growing", "buffers"])
def test_one_sequence_comes_in_pieces(case: Case, room: int | None) -> None:
    past, start = case.session.buffers(1, room) if room else None, 0
    for end in (4, 5, LENGTH):
        logits, past = case.step(case.ids[:1, start:end], np.ones((1, end), bool), past)
        near(logits[0], case.wanted[0, start:end])
        start = end


def test_a_step_of_padding_keeps_what_was_there(case: Case) -> None:
    mask = np.ones((2, 4), bool)
    _, past = case.step(case.ids[:, :4], mask, None)
    mask = np.concatenate((mask, [[True], [False]]), axis=1)
    logits, past = case.step(case.ids[:, 4:5], mask, past)
    near(logits[0, 0], case.wanted[0, 4])
    mask = np.concatenate((mask, np.ones((2, 1), bool)), axis=1)
    logits, _ = case.step(np.diag(case.ids[:, [5, 4]])[:, None], mask, past)
    near(logits[:, 0], case.wanted[[0, 1], [5, 4]])


def test_a_piece_may_end_in_padding(case: Case) -> None:
    mask = np.ones((1, 4), bool)
    _, past = case.step(case.ids[:1, :4], mask, None)
    mask = np.concatenate((mask, [[True, False, False]]), axis=1)
    logits, past = case.step(case.ids[:1, 4:7], mask, past)
    near(logits[0, 0], case.wanted[0, 4])
    mask = np.concatenate((mask, np.ones((1, 2), bool)), axis=1)
    logits, _ = case.step(case.ids[:1, 5:7], mask, past)
    near(logits[0], case.wanted[0, 5:7])


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


def test_the_last_logits_are_those_of_the_last_real_position(tmp_path: Path) -> None:
    found = compiled("llama3.1-8b")
    weights = lazy_weights(build(found.generated).state_dict())
    ids = np.random.default_rng(0).integers(0, 90, (3, 5))
    mask = np.array([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 0, 0, 0]], bool)
    logits = []
    for name, form in (("all", found.whole), ("last", last_position(found.fused))):
        (tmp_path / name).mkdir()
        emit({"model": form}, weights, tmp_path / name, target=CPU)
        session = open_session(tmp_path / name, device="cpu")
        logits.append(session.run({"ids": ids, "ids_mask": mask})["logits"])
    near(logits[1][:, 0], logits[0][np.arange(3), [4, 4, 1]])


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


def near(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
