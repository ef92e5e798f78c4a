"""Decoders on `GroupQueryAttention`: what torch computes, for rows of any length in one batch."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import archspec
from compiler.backends.onnx import emit
from compiler.backends.onnx.counted import counted
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.passes.last_position import last_position
from compiler.runtime.session import Session, open_session
from compiler.verify import shrink
from compiler.verify.compiled import Compiled
from compiler.verify.module import build, call
from compiler.verify.parity import lazy_weights
from tests.generated.samples import whole
from tests.shipped import ROOT
from tests.verify.models import decoder, made

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


@cache
def wide(name: str) -> Compiled:
    """A sibling whose heads are 16 wide: the kernel wants multiples of 8."""
    path = f"specs/decoder/{name}.yaml"
    usual = dict(shrink.SMALL)
    shrink.SMALL.update({"width": (64, 64), "head_dim": (16, 8)})
    try:
        return shrink.shrunken(whole(path), lambda more: archspec.read(ROOT / path, set=more)).made
    finally:
        shrink.SMALL.update(usual)


@pytest.fixture(params=FEATURES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Session, Any, Any]]:
    """A session, ids [2, 9] and the logits that torch has for them."""
    found = wide(request.param)
    model = build(found.generated)
    emit(found.whole, lazy_weights(model.state_dict()), tmp_path, target=CPU)
    vocabulary = next(k.size for k in found.program.key.key.values() if k.role == "vocabulary")
    ids = np.random.default_rng(0).integers(0, vocabulary or 9, (2, LENGTH))
    every = {"ids": torch.from_numpy(ids), "ids_mask": torch.ones(2, LENGTH, dtype=torch.bool)}
    given = {name: value for name, value in every.items() if name in found.program.main.inputs}
    with torch.no_grad():
        (wanted,) = call(model, given)
    yield open_session(tmp_path, device="cpu"), ids, wanted.numpy()


@pytest.mark.parametrize("side", ["left", "right", "between"])
def test_rows_of_a_batch_go_on_where_they_have_ended(
    case: tuple[Session, Any, Any], side: str
) -> None:
    session, ids, wanted = case
    mask = np.ones((2, PROMPTS[0]), bool)
    mask[1, {"left": [0, 1], "right": [4, 5], "between": [1, 4]}[side]] = False
    prompt = ids[:, : PROMPTS[0]].copy()
    prompt[1, mask[1]] = ids[1, : PROMPTS[1]]
    outputs, past = session.step({"ids": prompt, "ids_mask": mask}, None)
    for row, length in enumerate(PROMPTS):
        near(outputs["logits"][row, mask[row]], wanted[row, :length])
    for step in range(STEPS):
        mask = np.concatenate((mask, np.ones((2, 1), bool)), axis=1)
        new = np.stack([ids[row, end + step] for row, end in enumerate(PROMPTS)])[:, None]
        outputs, past = session.step({"ids": new, "ids_mask": mask}, past)
        for row, end in enumerate(PROMPTS):
            near(outputs["logits"][row, 0], wanted[row, end + step])


def test_one_sequence_comes_in_pieces(case: tuple[Session, Any, Any]) -> None:
    session, ids, wanted = case
    past, start = None, 0
    for end in (4, 5, LENGTH):
        given = {"ids": ids[:1, start:end], "ids_mask": np.ones((1, end), bool)}
        outputs, past = session.step(given, past)
        near(outputs["logits"][0], wanted[0, start:end])
        start = end


def test_a_step_of_padding_keeps_what_was_there(case: tuple[Session, Any, Any]) -> None:
    session, ids, wanted = case
    mask = np.ones((2, 4), bool)
    _, past = session.step({"ids": ids[:, :4], "ids_mask": mask}, None)
    mask = np.concatenate((mask, [[True], [False]]), axis=1)
    outputs, past = session.step({"ids": ids[:, 4:5], "ids_mask": mask}, past)
    near(outputs["logits"][0, 0], wanted[0, 4])
    mask = np.concatenate((mask, np.ones((2, 1), bool)), axis=1)
    outputs, _ = session.step({"ids": np.diag(ids[:, [5, 4]])[:, None], "ids_mask": mask}, past)
    near(outputs["logits"][:, 0], wanted[[0, 1], [5, 4]])


def test_a_piece_may_end_in_padding(case: tuple[Session, Any, Any]) -> None:
    session, ids, wanted = case
    mask = np.ones((1, 4), bool)
    _, past = session.step({"ids": ids[:1, :4], "ids_mask": mask}, None)
    mask = np.concatenate((mask, [[True, False, False]]), axis=1)
    outputs, past = session.step({"ids": ids[:1, 4:7], "ids_mask": mask}, past)
    near(outputs["logits"][0, 0], wanted[0, 4])
    mask = np.concatenate((mask, np.ones((1, 2), bool)), axis=1)
    outputs, _ = session.step({"ids": ids[:1, 5:7], "ids_mask": mask}, past)
    near(outputs["logits"][0], wanted[0, 5:7])


@pytest.mark.parametrize("bias", [{}, {"window": 3}], ids=["all", "window"])
def test_padding_moves_under_linear_biases(bias: dict[str, int], tmp_path: Path) -> None:
    looking = {"heads": 2, "head_dim": 8, "mask": "causal", "position_bias": {"alibi": {}}, **bias}
    spec = decoder()
    spec["inputs"] = {"ids": {"tokens": {"padded": True}}}
    spec["graph"]["h"]["stack"]["layer"]["attn"] = {"attention": looking}
    found = made(spec)
    assert counted(found.whole, CPU)
    model = build(found.generated)
    emit(found.whole, lazy_weights(model.state_dict()), tmp_path, target=CPU)
    ids, mask = np.arange(6)[None], np.array([[0, 1, 1, 0, 1, 1]], bool)
    given = {
        "ids": torch.from_numpy(ids[mask])[None],
        "ids_mask": torch.ones(1, 4, dtype=torch.bool),
    }
    with torch.no_grad():
        (wanted,) = call(model, given)
    outputs = open_session(tmp_path, device="cpu").run({"ids": ids, "ids_mask": mask})
    near(outputs["logits"][mask], wanted.numpy()[0])


def test_a_sink_beside_linear_biases_holds_where_a_row_begins_with_padding(tmp_path: Path) -> None:
    looking = {"heads": 2, "head_dim": 8, "mask": "causal", "position_bias": {"alibi": {}}}
    spec = decoder()
    spec["inputs"] = {"ids": {"tokens": {"padded": True}}}
    spec["graph"]["h"]["stack"]["layer"]["attn"] = {"attention": {**looking, "sink": True}}
    found = made(spec)
    model = build(found.generated)
    emit(found.whole, lazy_weights(model.state_dict()), tmp_path, target=CPU)
    ids, mask = np.arange(6)[None], np.array([[0, 0, 1, 1, 1, 1]], bool)
    with torch.no_grad():
        (wanted,) = call(
            model, {"ids": torch.from_numpy(ids[:, 2:]), "ids_mask": torch.ones(1, 4) > 0}
        )
    session = open_session(tmp_path, device="cpu")
    _, past = session.step({"ids": ids[:, :4], "ids_mask": mask[:, :4]}, None)
    outputs, _ = session.step({"ids": ids[:, 4:], "ids_mask": mask}, past)
    near(outputs["logits"], wanted.numpy()[:, 2:])


@pytest.mark.parametrize("name", FEATURES)
def test_no_other_attention_is_in_the_file(name: str) -> None:
    kinds = [step.kind for step in unrolled(wide(name).whole, CPU).flat()]
    assert "GroupQueryAttention" in kinds
    assert not {"Attention", "Softmax", "Expand"} & set(kinds) - _of_mixtures(kinds)


def _of_mixtures(kinds: list[str]) -> set[str]:
    """What a router needs, where there is one."""
    return {"Softmax", "Expand"} if "TopK" in kinds else set()


@pytest.mark.parametrize(
    "spec",
    [
        {**decoder(types=2), "name": "types"},
        decoder(positions={"sinusoid": {"max": 40}}),
        {**decoder(), "inputs": {"ids": {"tokens": {"segments": True}}}},
    ],
    ids=["types", "sinusoids", "documents"],
)
def test_what_the_kernel_cannot_do_keeps_the_standard_one(spec: dict[str, Any]) -> None:
    assert not counted(made(spec).whole, CPU)
    assert "GroupQueryAttention" not in {s.kind for s in unrolled(made(spec).whole, CPU).flat()}


def test_the_last_logits_are_those_of_the_last_real_position(tmp_path: Path) -> None:
    found = wide("llama3.1-8b")
    weights = lazy_weights(build(found.generated).state_dict())
    ids = np.random.default_rng(0).integers(0, 90, (3, 5))
    mask = np.array([[1, 1, 1, 1, 1], [0, 0, 1, 1, 1], [1, 1, 0, 0, 0]], bool)
    logits = []
    for name, form in (("all", found.whole), ("last", last_position(found.fused))):
        (tmp_path / name).mkdir()
        emit(form, weights, tmp_path / name, target=CPU)
        session = open_session(tmp_path / name, device="cpu")
        logits.append(session.run({"ids": ids, "ids_mask": mask})["logits"])
    near(logits[1][:, 0], logits[0][np.arange(3), [4, 4, 1]])


def test_cuda_has_no_such_kernel_in_float32() -> None:
    found = wide("gpt2").whole
    assert not counted(found, Target("cuda"))
    assert counted(found, Target("cuda", "fp16"))
    assert not counted(found, Target())


def near(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
