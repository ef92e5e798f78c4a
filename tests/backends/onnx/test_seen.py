"""Decoders that count their rows: what torch computes, for rows of any length in one batch, whether
an attention is one node with its cache or not."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from compiler.backends.onnx import emit
from compiler.passes.last_position import last_position
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.module import build, call, shake
from compiler.verify.parity import lazy_weights
from tests.backends.onnx.built import Array
from tests.backends.onnx.seen_cases import CPU, FEATURES, SPECS, beside, compiled

PROMPTS, STEPS, LENGTH = (6, 4), 3, 9


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


def near(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5)
