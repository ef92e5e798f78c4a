"""Requests: which input words and ids are for, and where a decoder behind an encoder starts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from compiler.answer import CannotAnswer
from compiler.runtime.generation import Generated
from compiler.runtime.outputs import Outputs
from compiler.runtime.request import Request, ask
from compiler.runtime.sampling import Sampling
from compiler.verify.module import build, shake
from compiler.verify.parity import onnx_session
from tests.parity.ours import spec

SIZES = {"vocab": 37, "d_model": 32, "n_layers": 2, "n_heads": 2, "d_ff": 24}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder-decoder with random weights and a tokenizer whose word `w7` is the id 7."""
    made = spec("encoder-decoder/transformer-base.yaml", **SIZES)
    model = build(made.generated).eval()
    shake(model)
    path: Path = tmp_path_factory.mktemp("transformer")
    onnx_session(made.files, model, path)
    tokenizer = Tokenizer(models.WordLevel({f"w{n}": n for n in range(37)}, "w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(path / "tokenizer.json"))
    return path


def generated(folder: Path, **asked: Any) -> Generated:
    found = ask(folder, Request(new=6, **asked))
    assert isinstance(found, Generated)
    return found


def test_ids_without_a_name_are_the_source(folder: Path) -> None:
    short = generated(folder, ids=("3,9,4",), start=1)
    named = generated(folder, ids=("tgt_ids=1", "src_ids=3,9,4"))
    other = generated(folder, ids=("22,8",), start=1)
    assert short == named
    assert short.prompt_ids == (1,)
    assert short.new_ids != other.new_ids


def test_words_are_the_source_and_are_not_padded(folder: Path) -> None:
    by_ids = generated(folder, ids=("3,9,4",), start=1)
    by_words = generated(folder, text="w3 w9 w4", start=1)
    assert by_words.new_ids == by_ids.new_ids
    assert by_words.new_text == " ".join(f"w{each}" for each in by_ids.new_ids)
    assert by_ids.new_text is None


def test_without_new_the_model_runs_once(folder: Path) -> None:
    found = ask(folder, Request(ids=("3,9,4", "tgt_ids=1,2")))
    assert isinstance(found, Outputs)
    first = generated(folder, ids=("3,9,4", "tgt_ids=1,2")).new_ids[0]
    assert found.arrays["logits"].shape == (1, 2, 37)
    assert found.arrays["logits"][0, -1].argmax() == first


def test_a_source_may_come_from_a_file(folder: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "source.npz", src_ids=np.array([[3, 9, 4]]))
    by_file = generated(folder, arrays=tmp_path / "source.npz", start=1)
    assert by_file == generated(folder, ids=("3,9,4",), start=1)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"ids": ("3,9",)}, "nothing is given to continue in `tgt_ids`"),
        ({"start": 1}, "nothing is given for `src_ids`"),
        ({"ids": ("3,9", "tgt_ids=1"), "start": 1}, "`--start` is the first id"),
        ({"ids": ("3,9",), "start": -1}, "`--start` is the first id"),
        ({"ids": ("3,9",), "text": "w3", "start": 1}, "`--text` is for an input"),
    ],
)
def test_what_does_not_fit_is_refused(folder: Path, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(CannotAnswer, match=said):
        generated(folder, **asked)


def test_two_sequences_at_once_are_not_continued(folder: Path, tmp_path: Path) -> None:
    two = np.array([[3, 9], [4, 5]])
    np.savez(tmp_path / "two.npz", src_ids=two, tgt_ids=two)
    with pytest.raises(CannotAnswer, match="must be one sequence"):
        generated(folder, arrays=tmp_path / "two.npz")


def test_how_to_draw_needs_something_to_generate() -> None:
    with pytest.raises(CannotAnswer, match="nothing is generated"):
        Request(ids=("1",), sampling=Sampling(1.0))
    with pytest.raises(CannotAnswer, match="nothing is generated"):
        Request(ids=("1",), stop=3)


def test_numbers_that_are_not_finite_are_null_in_a_document() -> None:
    values = np.array([[1.5, np.nan], [np.inf, 0]], "f4")
    assert Outputs({"y": values}).document() == {
        "outputs": {"y": {"shape": [2, 2], "values": [[1.5, None], [None, 0.0]]}}
    }
