"""What weights are looked at for, and what a build does where they cannot be taken."""

import json
import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from archspec.source.diagnostic import SpecError
from compiler.answer import CannotAnswer
from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Target
from compiler.pipeline.numbers import BARE
from tests.pipeline.held import CPU, checkpoint, made, spec

__all__ = ["spec"]


@pytest.mark.parametrize("target", [Target(), CPU, Target("cpu", "int4")], ids=str)
def test_too_little_room_is_said_before_anything_is_written(
    spec: Path, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(spec, "there")
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10, 9, 1000))
    with pytest.raises(CannotAnswer, match="are free on the disk"):
        made(spec, "there", target)
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


def test_a_choice_that_fits_nothing_leaves_the_folder(spec: Path) -> None:
    folder = made(spec, "there")
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(CannotAnswer, match="no matrix has a path like"):
        made(spec, "there", Target("cpu", "int4", choices=(Choice("h.*.nothing", None),)))
    assert (folder / "manifest.json").read_bytes() == before


def test_all_matrices_may_be_none(spec: Path) -> None:
    """What is asked of all is no slip where a model has none; a path in it is."""
    every, one = (Choice(each, Integers(8, 32, "symmetric")) for each in ("*", "h.*"))
    bare = "one: {attention: {heads: 1, projections: none, score: dot}, in: x}"
    spec.write_text(f"name: held\ninputs: {{x: {{vectors: [N, 8]}}}}\ngraph:\n  {bare}\n")
    folder = made(spec, "there", Target("cpu", "int8", choices=(every,)))
    said = json.loads((folder / "manifest.json").read_text())["model"]
    assert said["weights"] == BARE and "rounded" not in said
    with pytest.raises(CannotAnswer) as caught:
        made(spec, "there", Target("cpu", "int8", choices=(one,)))
    assert caught.value.help == "the model has none that is rounded"


def test_a_checkpoint_with_what_is_no_number_leaves_the_folder(spec: Path) -> None:
    folder = made(spec, "there")
    before = {each.name: each.read_bytes() for each in folder.iterdir()}
    given = checkpoint(spec)
    tensors = load_file(given)
    tensors["h.1.attn.k.weight"][3, 5] = np.nan
    save_file(tensors, given)
    with pytest.raises(SpecError, match="AR0713"):
        made(spec, "there", weights=str(given), emit=("onnx",))
    assert {each.name: each.read_bytes() for each in folder.iterdir()} == before


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("odd", [np.nan, np.inf])
@pytest.mark.parametrize("precision", ["int4", "int8"])
def test_what_is_no_number_is_not_rounded(
    spec: Path, precision: Any, odd: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compiler.pipeline.weights.LOOKED_THROUGH", 0)
    folder = made(spec, "there")
    before = (folder / "manifest.json").read_bytes()
    given = checkpoint(spec)
    tensors = load_file(given)
    tensors["h.1.attn.k.weight"][3, 5] = odd
    save_file(tensors, given)
    with pytest.raises(CannotAnswer, match=r"`h\.1\.attn\.qkv` holds NaN or infinity"):
        made(spec, "there", Target("cpu", precision), weights=str(given), emit=("onnx",))
    assert (folder / "manifest.json").read_bytes() == before


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("precision", "name", "odd", "said"),
    [
        ("int4", "h.1.attn.norm.weight", np.nan, "NaN or infinity"),
        ("fp16", "h.1.attn.o.weight", np.inf, "NaN or infinity"),
        ("fp16", "h.1.attn.o.weight", 7e4, "numbers beyond 65504, the largest that float16 has"),
    ],
)
def test_what_is_packed_is_looked_at_on_its_way(
    spec: Path, precision: Any, name: str, odd: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compiler.pipeline.weights.LOOKED_THROUGH", 0)
    given = checkpoint(spec)
    tensors = load_file(given)
    tensors[name].flat[2] = odd
    save_file(tensors, given)
    target = Target("cpu" if precision == "int4" else "cuda", precision)
    with pytest.raises(CannotAnswer, match=f"`{name}` holds {said}"):
        made(spec, "there", target, weights=str(given), emit=("onnx",))
    assert not (spec.parent / "there/held").exists()


@pytest.mark.parametrize("most", [0, 1 << 30])
def test_a_build_says_when_it_did_not_read_the_numbers(
    spec: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In place nothing needs them, and a look through a large checkpoint would take longer than all
    the rest."""
    monkeypatch.setattr("compiler.pipeline.weights.LOOKED_THROUGH", most)
    given = checkpoint(spec)
    for emit in (("onnx",), ("torch", "onnx")):
        folder = made(spec, "there", weights=str(given), emit=emit)
        said = json.loads((folder / "manifest.json").read_text())["model"]["weights"]
        unread = emit == ("onnx",) and most == 0
        assert said.startswith("in place: ") and ("NaN" in said) == unread


@pytest.mark.parametrize(
    ("target", "emit", "steps"),
    [
        (Target(), ("torch", "onnx"), {"look", "write weights", "write model"}),
        (Target("cpu", "int4"), ("onnx",), {"look", "write model"}),
        (CPU, ("onnx",), {"look"}),
    ],
)
def test_progress_is_in_bytes_and_reaches_the_whole(
    spec: Path, target: Target, emit: tuple[str, ...], steps: set[str]
) -> None:
    told: dict[str, list[tuple[int, int]]] = {}

    def progress(step: str, done: int = 0, whole: int = 0, unit: str = "") -> None:
        assert unit == "B"
        told.setdefault(step, []).append((done, whole))

    given = checkpoint(spec)
    folder = made(spec, "there", target, weights=str(given), emit=emit, progress=progress)
    names = {
        "look": "looking through the weights",
        "write weights": "writing model.safetensors",
        "write model": "writing the ONNX model",
    }
    assert told.keys() == {names[step] for step in steps}
    for found in told.values():
        assert found == sorted(found)
        assert found[-1][0] == found[-1][1]
        assert len({whole for _, whole in found}) == 1
    if "write model" in steps:
        assert told[names["write model"]][-1][1] == (folder / "model.onnx.data").stat().st_size
