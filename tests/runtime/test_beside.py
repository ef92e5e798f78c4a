"""Folders that others made for onnxruntime-genai: their cache is one buffer of the size said."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from compiler.backends.onnx import MODEL
from compiler.runtime.beside import Beside, read_beside
from compiler.runtime.opening import open_session
from tests.runtime.bench.test_measure import folder, wide

SAID = {
    "model": {"decoder": {"head_size": 8}},
    "search": {"past_present_share_buffer": True},
}


def foreign(place: Path) -> Path:
    """A decoder without our properties, the last size of whose cache is a letter."""
    model = onnx.load(folder(wide(), place) / MODEL)
    del model.metadata_props[:]
    for each in [*model.graph.input, *model.graph.output]:
        if each.name.startswith(("past", "present")):
            each.type.tensor_type.shape.dim[3].dim_param = "kv_cache_dim"
    onnx.save(model, place / MODEL)
    return place


def test_the_same_outputs_in_one_buffer_of_the_size_that_is_said(tmp_path: Path) -> None:
    given = {"ids": np.array([[3, 1, 4, 1]]), "ids_mask": np.ones((1, 4), np.int64)}
    ours = open_session(folder(wide(), tmp_path), threads=1, device="cpu").run(given)
    place = foreign(tmp_path)
    (place / "genai_config.json").write_text(json.dumps(SAID))
    session = open_session(place, threads=1, device="cpu")
    assert session.shares
    assert {shape[3] for shape in session.past.values()} == {8}
    found, _ = session.step(given, session.buffers(1, 6))
    np.testing.assert_array_equal(found["logits"], ours["logits"])


@pytest.mark.parametrize(
    ("said", "found"),
    [
        (SAID, Beside(True, 8)),
        ({"search": {"past_present_share_buffer": 1}}, Beside()),
        ({"model": {"decoder": {"head_size": True}}, "search": []}, Beside()),
        ([], Beside()),
    ],
)
def test_nothing_else_is_taken_for_an_answer(said: Any, found: Beside, tmp_path: Path) -> None:
    (tmp_path / "genai_config.json").write_text(json.dumps(said))
    assert read_beside(tmp_path) == found


def test_a_folder_without_the_file_says_nothing(tmp_path: Path) -> None:
    assert read_beside(tmp_path) == Beside()
    (tmp_path / "genai_config.json").write_text("{")
    assert read_beside(tmp_path) == Beside()
