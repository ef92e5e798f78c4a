"""Sessions: what they take, what they refuse, and that loading says nothing."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.backends.onnx import MODEL, emit
from compiler.ir.target import Target
from compiler.runtime.cuda import has_cuda_device
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.module import build as module
from compiler.verify.parity import lazy_weights
from tests.backends.onnx.built import build, compiled, random_weights
from tests.verify.models import decoder, made

ENCODER: Mapping[str, Any] = {
    "name": "tiny",
    "inputs": {"ids": {"tokens": {"max": 16, "padded": True}}},
    "defaults": {"norm": {"layer": 1e-12}, "norm_at": "post", "bias": True},
    "graph": {
        "tok": {
            "embed": {"vocab": 61, "dim": 8, "types": 2, "positions": {"learned": 16}},
            "in": "ids",
        },
        "h": {
            "stack": {
                "repeat": 2,
                "layer": {
                    "attn": {"attention": {"heads": 2, "mask": "full"}},
                    "mlp": {"mlp": {"hidden": 16, "act": "gelu"}},
                },
            }
        },
        "sentence": {"pool": "mean"},
    },
    "outputs": ["h", "sentence"],
}
IDS = np.arange(6).reshape(2, 3)
REAL = np.array([[True, True, True], [True, False, False]])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    program = compiled(ENCODER)
    build(program, random_weights(program), tmp_path)
    return tmp_path


@pytest.fixture
def session(folder: Path) -> Session:
    return open_session(folder, threads=1, device="cpu")


def test_every_size_is_looked_at_and_said(session: Session) -> None:
    session.inputs = {"ids": ("B", 3, 3), "x": (None, "T")}
    session.kinds = {"ids": "int64", "x": "float32"}
    with pytest.raises(ValueError, match=r"`ids` is \[B=2, 3, 3\], not \[2, 4, 3\]"):
        session.run({"ids": np.zeros((2, 4, 3), int), "x": np.zeros((5, 7))})
    with pytest.raises(ValueError, match="`x` has numbers beyond those of float32"):
        session.run({"ids": np.zeros((2, 3, 3), int), "x": np.full((5, 7), 1e300)})
    session.kinds = {"ids": "int32", "x": "float32"}
    with pytest.raises(ValueError, match="`ids` has numbers beyond those of int32"):
        session.run({"ids": np.full((2, 3, 3), 2**32 + 1), "x": np.zeros((5, 7))})


def test_loading_and_running_say_nothing(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    session = open_session(folder, threads=1, device="cpu")
    session.run({"ids": IDS, "ids_mask": REAL})
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "")


def test_names_and_shapes(session: Session) -> None:
    wanted = {"ids": ("B", "T"), "ids_mask": ("B", "T"), "ids_types": ("B", "T")}
    assert session.inputs == wanted
    assert session.outputs == {"h": ("B", "T", 8), "sentence": ("B", 8)}
    found = session.run({"ids": IDS, "ids_mask": REAL})
    assert {name: array.shape for name, array in found.items()} == {
        "h": (2, 3, 8),
        "sentence": (2, 8),
    }


def test_types_are_zeros_where_none_are_given(session: Session) -> None:
    given = {"ids": IDS, "ids_mask": REAL}
    without = session.run(given)["h"]
    with_zeros = session.run({**given, "ids_types": np.zeros_like(IDS)})["h"]
    with_ones = session.run({**given, "ids_types": np.ones_like(IDS)})["h"]
    assert np.array_equal(without, with_zeros)
    assert not np.allclose(without, with_ones)


def test_integers_of_another_width_will_do(session: Session) -> None:
    wide = session.run({"ids": IDS, "ids_mask": REAL})["h"]
    assert np.array_equal(session.run({"ids": IDS.astype("i4"), "ids_mask": REAL})["h"], wide)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ids_mask": None}, r"missing \['ids_mask'\]"),
        ({"id": IDS}, r"not known \['id'\]"),
        ({"ids": IDS[0]}, "`ids` is"),
        ({"ids_mask": REAL[:, :2]}, "`ids_mask` is"),
        ({"ids": IDS.astype("f4")}, "`ids` is int64, not float32"),
        ({"ids_mask": REAL.astype("i8")}, "`ids_mask` is bool, not int64"),
    ],
)
def test_wrong_inputs_are_named(session: Session, change: dict[str, Any], said: str) -> None:
    inputs = {"ids": IDS, "ids_mask": REAL} | change
    with pytest.raises(ValueError, match=said):
        session.run({name: array for name, array in inputs.items() if array is not None})


def test_an_empty_folder_holds_no_model(tmp_path: Path) -> None:
    with pytest.raises(CannotAnswer) as caught:
        open_session(tmp_path)
    assert MODEL in caught.value.message


def test_a_damaged_model_is_not_loaded(folder: Path) -> None:
    (folder / MODEL).write_bytes(b"\0\1\2 not a model")
    with pytest.raises(CannotAnswer, match="cannot load"):
        open_session(folder, device="cpu")


@pytest.mark.skipif(has_cuda_device(), reason="a CUDA device is here")
def test_a_device_that_is_not_here_is_refused(folder: Path) -> None:
    with pytest.raises(CannotAnswer, match="no CUDA device"):
        open_session(folder, device="cuda")


def test_a_decoder_in_half_precision_begins_with_nothing_in_it(tmp_path: Path) -> None:
    found = made(decoder())
    weights = lazy_weights(module(found.generated).state_dict())
    logits = []
    for target in (Target(), Target("cuda", "fp16")):
        emit(found.files, weights, tmp_path, target=target)
        session = open_session(tmp_path, threads=1, device="cpu")
        assert {session.kinds[name] for name in session.past} == {
            target.precision.replace("fp", "float")
        }
        logits.append(session.run({"ids": IDS})["logits"])
    assert 0 < np.abs(logits[1] - logits[0]).max() < 0.02 * np.abs(logits[0]).max()
