"""Models whose weights are not there, or not whole."""

from collections.abc import Callable
from pathlib import Path

import pytest

from compiler.answer import CannotAnswer
from compiler.backends.onnx import DATA, MODEL
from compiler.runtime.data_files import unreadable
from compiler.runtime.opening import open_session
from tests.backends.onnx.built import build, compiled, random_weights
from tests.verify.models import encoder


def short(data: Path) -> None:
    data.write_bytes(data.read_bytes()[:-1])


def linked(data: Path) -> None:
    data.rename(data.parents[1] / "elsewhere")
    data.symlink_to(data.parents[1] / "elsewhere")


def emptied(data: Path) -> None:
    data.unlink()
    data.mkdir()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (Path.unlink, "is missing"),
        (short, r"has \d+ bytes of the \d+ that"),
        (linked, "lies outside its folder"),
        (emptied, "is no file"),
    ],
)
def test_the_file_is_named(damage: Callable[[Path], object], said: str, tmp_path: Path) -> None:
    built, program = tmp_path / "built", compiled(encoder())
    built.mkdir()
    build(program, random_weights(program), built)
    assert unreadable(built / MODEL) is None
    damage(built / DATA)
    with pytest.raises(CannotAnswer, match=f"cannot load.*{DATA}` .*{said}"):
        open_session(built, device="cpu")


def test_what_is_no_model_is_left_to_the_runtime(tmp_path: Path) -> None:
    (tmp_path / MODEL).write_bytes(b"\0\1\2 not a model")
    assert unreadable(tmp_path / MODEL) is None
