"""Where the weights of a folder lie: linked, written for `model.py`, or packed."""

import errno
import json
import os
import shutil
from collections import namedtuple
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
import pytest
import torch
from safetensors.numpy import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

import archspec
from archspec.source.diagnostic import SpecError
from compiler.answer import CannotAnswer
from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.pipeline.folder import verify_folder
from compiler.pipeline.passes import lowered
from compiler.pipeline.reading import shapes_of
from compiler.runtime.opening import open_session
from tests.shipped import ROOT

SPEC = """
name: held
dims: {d_model: 64}
inputs: {ids: tokens}
defaults: {norm: {rms: 1e-6}, norm_at: pre}
graph:
  tok: {embed: {vocab: 200, dim: d_model}, in: ids}
  h:
    stack:
      repeat: 2
      layer:
        attn: {attention: {heads: 4, kv_heads: 2}}
        mlp: {moe: {experts: 3, top_k: 1, expert: {hidden: 48, act: silu, gated: true}}}
  logits: {unembed: {tie: tok}}
"""
IDS = (np.arange(14).reshape(2, 7) * 31) % 200
CPU = Target("cpu")


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "held.yaml"
    path.write_text(SPEC)
    return path


def checkpoint(spec: Path, kind: str = "f4") -> Path:
    """Weights in our own names, every matrix by itself."""
    rng = np.random.default_rng(7)
    shapes = shapes_of(lowered(archspec.load(spec)))
    tensors = {n: (rng.normal(0, 0.3, shape) + 0.1).astype(kind) for n, shape in shapes.items()}
    path = spec.with_name("weights.safetensors")
    save_file(tensors, path)
    return path


def made(spec: Path, out: str, target: Target = CPU, **more: Any) -> Path:
    build(str(spec), out=out, target=target, **more)
    return Path(out) / "held"


def logits(folder: Path) -> Any:
    return open_session(folder, threads=1, device="cpu").run({"ids": IDS})["logits"]


def places(folder: Path) -> dict[str, str]:
    """The file that every tensor outside the model lies in."""
    model = onnx.load(str(folder / "model.onnx"), load_external_data=False)
    found = {}
    for tensor in model.graph.initializer:
        said = {entry.key: entry.value for entry in tensor.external_data}
        if said:
            found[tensor.name] = said["location"]
    return found


def test_a_checkpoint_is_linked_and_read_as_it_lies(spec: Path) -> None:
    given = checkpoint(spec)
    folder = made(spec, "there", weights=str(given), emit=("onnx",))
    assert os.stat(folder / given.name).st_ino == os.stat(given).st_ino
    assert not (folder / "model.onnx.data").exists()
    assert set(places(folder).values()) == {given.name}
    assert "h.1.mlp.experts.2.gate.weight" in places(folder)
    wanted = logits(made(spec, "portable", Target(), weights=str(given)))
    assert np.abs(logits(folder) - wanted).max() < 1e-6 * np.abs(wanted).max()
    said = json.loads((folder / "manifest.json").read_text())["model"]
    assert said["weights"].startswith("in place: the checkpoint itself")
    assert verify_folder(folder) == []


GPT2: Final = ("vocab=90", "d_model=64", "n_layers=2", "n_heads=4", "max_len=32")


def conv1d(folder: Path, kind: torch.dtype = torch.float32) -> Path:
    """A small GPT-2 as it is published: matrices [in, out], and q, k and v as one."""
    sizes = {"vocab_size": 90, "n_positions": 32, "n_embd": 64, "n_layer": 2, "n_head": 4}
    config = GPT2Config(**sizes, bos_token_id=1, eos_token_id=1)
    GPT2LMHeadModel(config).to(kind).save_pretrained(folder / "published")
    return folder / "published"


def gpt2(out: Path, weights: Path) -> Path:
    spec = str(ROOT / "specs/decoder/gpt2.yaml")
    build(spec, set=GPT2, out=str(out), target=CPU, weights=str(weights), emit=("onnx",))
    return out / "decoder/gpt2"


def test_matrices_of_inputs_by_outputs_are_read_as_they_lie(tmp_path: Path) -> None:
    given = conv1d(tmp_path)
    folder = gpt2(tmp_path / "there", given)
    found = places(folder)
    assert set(found.values()) == {"model.safetensors"}
    assert {"h.0.attn.qkv.weight.T", "h.1.mlp.down.weight.T", "tok.tokens.weight"} <= set(found)
    assert not (folder / "model.onnx.data").exists()
    one, other = (os.stat(each / "model.safetensors") for each in (folder, given))
    assert one.st_ino == other.st_ino
    said = json.loads((folder / "manifest.json").read_text())["model"]["weights"]
    assert said == "in place: the checkpoint itself, q, k and v as one as it has them"
    model = GPT2LMHeadModel.from_pretrained(given).eval()
    ids = np.asarray(IDS % 90)
    with torch.no_grad():
        wanted = model(torch.from_numpy(ids)).logits[:, -1:].numpy()
    taken = {"ids": ids, "ids_mask": np.ones_like(ids)}
    made = open_session(folder, threads=1, device="cpu").run(taken)["logits"]
    assert np.abs(made - wanted).max() < 1e-5


def test_matrices_of_other_numbers_are_packed(tmp_path: Path) -> None:
    folder = gpt2(tmp_path / "there", conv1d(tmp_path, torch.float16))
    assert set(places(folder).values()) == {"model.onnx.data"}
    said = json.loads((folder / "manifest.json").read_text())["model"]["weights"]
    assert said == "packed in model.onnx.data: the weights are F16 and the model fp32"


def test_what_model_py_takes_is_what_the_model_reads(spec: Path) -> None:
    given = checkpoint(spec)
    folder = made(spec, "there", weights=str(given))
    assert set(places(folder).values()) == {"model.safetensors"}
    assert "h.0.attn.qkv.weight" in load_file(folder / "model.safetensors")
    wanted = logits(made(spec, "portable", Target(), weights=str(given)))
    assert np.abs(logits(folder) - wanted).max() < 1e-6 * np.abs(wanted).max()
    again = made(spec, "again", weights=str(folder / "model.safetensors"))
    one, other = (os.stat(each / "model.safetensors") for each in (folder, again))
    assert one.st_ino == other.st_ino, "a state dict of model.py is linked"
    assert np.array_equal(logits(again), logits(folder))


def test_drawn_weights_are_written_once(spec: Path) -> None:
    folder = made(spec, "there")
    assert set(places(folder).values()) == {"model.safetensors"}


def test_half_precision_is_packed_as_fp32(spec: Path) -> None:
    given = checkpoint(spec, "f2")
    folder = made(spec, "there", weights=str(given), emit=("onnx",))
    assert set(places(folder).values()) == {"model.onnx.data"}
    said = json.loads((folder / "manifest.json").read_text())["model"]
    assert "F16" in said["weights"]


def test_integers_need_no_other_file(spec: Path) -> None:
    given = checkpoint(spec)
    built = build(
        str(spec), out="there", target=Target("cpu", "int4"), weights=str(given), emit=("onnx",)
    )
    folder = Path("there/held")
    names = {each.name for each in folder.iterdir()}
    assert "model.safetensors" not in names
    said = json.loads((folder / "manifest.json").read_text())["model"]["rounded"]
    assert 0.05 < said["int4:32:fitted"]["relative_error"] < 0.2
    assert any("relative error" in note for note in built.notes)


def test_files_of_the_build_before_go_with_their_model(spec: Path) -> None:
    folder = made(spec, "there", Target("cpu", "int4"))
    assert (folder / "model.onnx.data").exists()
    folder = made(spec, "there")
    assert not (folder / "model.onnx.data").exists()
    assert verify_folder(folder) == []


def test_a_checkpoint_that_was_linked_goes_with_its_model(spec: Path) -> None:
    given = checkpoint(spec)
    folder = made(spec, "there", weights=str(given), emit=("onnx",))
    assert (folder / given.name).is_file()
    made(spec, "there")
    assert not (folder / given.name).exists()
    assert (folder / "onnx.txt").is_file() and verify_folder(folder) == []


def test_another_file_system_gets_a_copy(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = checkpoint(spec)

    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    told: list[int] = []

    def progress(step: str, done: int = 0, whole: int = 0, unit: str = "") -> None:
        if step.startswith("writing"):
            told.append(done)

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr("compiler.pipeline.weight_files.PIECE", 50_000)
    folder = made(spec, "there", weights=str(given), emit=("onnx",), progress=progress)
    size = given.stat().st_size
    assert told == [*range(50_000, size, 50_000), size]
    assert os.stat(folder / given.name).st_ino != os.stat(given).st_ino
    assert (folder / given.name).read_bytes() == given.read_bytes()


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
    from compiler.ir.target import Choice

    folder = made(spec, "there")
    before = (folder / "manifest.json").read_bytes()
    with pytest.raises(CannotAnswer, match="no matrix has a path like"):
        made(spec, "there", Target("cpu", "int4", choices=(Choice("h.*.nothing", None),)))
    assert (folder / "manifest.json").read_bytes() == before


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
