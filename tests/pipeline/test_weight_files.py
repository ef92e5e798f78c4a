"""Where the weights of a folder lie: linked, written for `model.py`, or packed."""

import errno
import json
import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from transformers import GPT2Config, GPT2LMHeadModel

from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.pipeline.building import ATTEND_FILE
from compiler.pipeline.folder import verify_folder
from compiler.pipeline.weight_files import WEIGHTS_FILE
from compiler.runtime.opening import open_session
from tests.pipeline.held import CPU, IDS, checkpoint, logits, made, places, spec
from tests.shipped import ROOT

__all__ = ["spec"]


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


def test_only_safetensors_are_read_as_they_lie(spec: Path) -> None:
    given = checkpoint(spec)
    torch.save({n: torch.tensor(each) for n, each in load_file(given).items()}, "weights.pt")
    folder = made(spec, "there", weights="weights.pt", emit=("onnx",))
    assert set(places(folder).values()) == {"model.onnx.data"}
    said = json.loads((folder / "manifest.json").read_text())["model"]["weights"]
    assert said.startswith("packed in model.onnx.data: the checkpoint is no file of safetensors")


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


def test_a_state_dict_that_is_linked_brings_no_source(tmp_path: Path) -> None:
    build(str(ROOT / "specs/decoder/gpt2.yaml"), set=GPT2, out=str(tmp_path), target=CPU)
    given = tmp_path / "decoder/gpt2"
    assert (given / ATTEND_FILE).is_file()
    folder = gpt2(tmp_path / "there", given / WEIGHTS_FILE)
    assert (folder / WEIGHTS_FILE).stat().st_ino == (given / WEIGHTS_FILE).stat().st_ino
    assert not (folder / ATTEND_FILE).exists()


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


@pytest.mark.parametrize("target", [Target(), CPU, Target("cpu", "int4")], ids=str)
def test_without_a_source_nobody_needs_the_weights_twice(spec: Path, target: Target) -> None:
    both = made(spec, "both", target)
    folder = made(spec, "there", target, emit=("onnx",))
    kept = {"manifest.json", "model.onnx", "model.onnx.data", "onnx.txt"}
    assert {each.name for each in folder.iterdir()} - {"genai_config.json"} == kept
    assert np.abs(logits(folder) - logits(both)).max() < 1e-6 * np.abs(logits(both)).max()
    given = checkpoint(spec)
    alone = made(spec, "given", Target(), weights=str(given), emit=("onnx",))
    assert not (alone / "model.safetensors").exists()


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
