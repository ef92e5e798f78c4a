"""Folders that hold no model, and where one may be meant."""

from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.runtime.opening import open_session


@pytest.mark.parametrize("held", ["gpt2/model.onnx", "decoder/gpt2/model.onnx", "t5/decoder.onnx"])
def test_a_model_in_a_folder_below_is_named(held: str, tmp_path: Path) -> None:
    (tmp_path / held).parent.mkdir(parents=True)
    (tmp_path / held).touch()
    with pytest.raises(CannotAnswer, match=r"holds no `model\.onnx`") as caught:
        open_session(tmp_path)
    assert caught.value.help == f"`{(tmp_path / held).parent}` has one"


def test_where_there_is_none_it_has_to_be_built(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CannotAnswer) as caught:
            open_session(folder)
        assert caught.value.help == "build it first with `archc build`"
