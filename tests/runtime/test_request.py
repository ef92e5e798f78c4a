"""Requests: which input words and ids are for, and where a decoder behind an encoder starts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from compiler.answer import CannotAnswer
from compiler.runtime.ask import ask
from compiler.runtime.generated import Generated
from compiler.runtime.outputs import Outputs
from compiler.runtime.request import Request
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
    found = ask(folder, Request(new=6, **asked)).said
    assert isinstance(found, Generated)
    return found


def test_ids_without_a_name_are_the_source(folder: Path) -> None:
    short = generated(folder, ids=("3,9,4",), start=(1,))
    named = generated(folder, ids=("tgt_ids=1", "src_ids=3,9,4"))
    other = generated(folder, ids=("22,8",), start=(1,))
    assert short == named
    assert short.rows[0].prompt == (1,)
    assert short.rows[0].new != other.rows[0].new


def test_words_are_the_source_and_are_not_padded(folder: Path) -> None:
    by_ids = generated(folder, ids=("3,9,4",), start=(1,))
    by_words = generated(folder, things=("w3 w9 w4",), start=(1,))
    assert by_words.rows == by_ids.rows
    assert by_words.texts == (" ".join(f"w{each}" for each in by_ids.rows[0].new),)
    assert by_ids.texts is None


def test_what_a_tokenizer_cannot_read_is_said(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CannotAnswer, match="no UTF-8 text"):
        generated(folder, things=("w3 \udcff",), start=(1,))
    Tokenizer(models.WordLevel({"w0": 0}, "nothing")).save(str(tmp_path / "t.json"))
    with pytest.raises(CannotAnswer, match="the tokenizer cannot read the words: "):
        generated(folder, things=("hello",), tokenizer=tmp_path / "t.json", start=(1,))


def test_an_input_that_is_not_there_is_named_first(folder: Path) -> None:
    with pytest.raises(CannotAnswer, match="no input `tgt_idz`") as caught:
        generated(folder, ids=("1,2", "tgt_idz=1"))
    assert caught.value.help == "did you mean `tgt_ids`?"


def test_without_new_the_model_runs_once(folder: Path) -> None:
    found = ask(folder, Request(ids=("3,9,4", "tgt_ids=1,2"))).said
    assert isinstance(found, Outputs)
    first = generated(folder, ids=("3,9,4", "tgt_ids=1,2")).rows[0].new[0]
    assert found.arrays["logits"].shape == (1, 2, 37)
    assert found.arrays["logits"][0, -1].argmax() == first


def test_a_source_may_come_from_a_file(folder: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "source.npz", src_ids=np.array([[3, 9, 4]]))
    by_file = generated(folder, arrays=tmp_path / "source.npz", start=(1,))
    assert by_file == generated(folder, ids=("3,9,4",), start=(1,))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"ids": ("3,9",)}, "nothing is given to continue in `tgt_ids`"),
        ({"start": (1,)}, "nothing is given for `src_ids`"),
        ({"ids": ("3,9", "tgt_ids=1"), "start": (1,)}, "`--start` has the first ids"),
        ({"ids": ("3,9",), "things": ("w3",), "start": (1,)}, "words are for an input"),
    ],
)
def test_what_does_not_fit_is_refused(folder: Path, asked: dict[str, Any], said: str) -> None:
    with pytest.raises(CannotAnswer, match=said):
        generated(folder, **asked)


def test_rows_of_a_source_are_what_each_is_alone(folder: Path, tmp_path: Path) -> None:
    """Padded behind a mask; the rows of a file need none."""
    lists = ("3,9,4", "22,8", "5")
    each = [
        generated(folder, ids=(row,), start=(1,), sampling=Sampling(3.0, seed=5 + number)).rows[0]
        for number, row in enumerate(lists)
    ]
    found = generated(folder, ids=lists, start=(1,), sampling=Sampling(3.0, seed=5))
    assert found.rows == tuple(each)
    assert len({tuple(row.new) for row in each}) == 3
    np.savez(tmp_path / "two.npz", src_ids=[[3, 9], [4, 5]], tgt_ids=[[1], [1]])
    by_file = generated(folder, arrays=tmp_path / "two.npz")
    assert by_file == generated(folder, ids=("3,9", "4,5"), start=(1,))


def test_different_numbers_of_rows_are_refused(folder: Path) -> None:
    with pytest.raises(CannotAnswer, match="`src_ids` 2, `tgt_ids` 3"):
        generated(folder, ids=("1", "2", "tgt_ids=1", "tgt_ids=2", "tgt_ids=3"))


def test_how_to_draw_needs_something_to_generate() -> None:
    with pytest.raises(CannotAnswer, match="nothing is generated"):
        Request(ids=("1",), sampling=Sampling(1.0))
    with pytest.raises(CannotAnswer, match="nothing is generated"):
        Request(ids=("1",), stop=(3,))


def test_numbers_that_are_not_finite_are_null_in_a_document() -> None:
    values = np.array([[1.5, np.nan], [np.inf, 0]], "f4")
    assert Outputs({"y": values}).document() == {
        "outputs": {"y": {"shape": [2, 2], "values": [[1.5, None], [None, 0.0]]}}
    }
