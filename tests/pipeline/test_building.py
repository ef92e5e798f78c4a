"""What a build leaves of earlier builds, and weights going round: built, saved, built again."""

import importlib.util
import json
import os
from pathlib import Path

import onnx
import pytest

from compiler.answer import CannotAnswer
from compiler.ir.target import Precision, Target
from compiler.pipeline import build
from compiler.pipeline.folder import verify_folder
from compiler.pipeline.manifest import read_manifest

TEXT, BINARIES = Path("generated/decoder/tiny"), Path("build/decoder/tiny")


def test_parts_built_one_after_the_other_stand_together(decoder: Path) -> None:
    build(str(decoder), emit=["torch"])
    build(str(decoder), emit=["report"])
    assert {"model.py", "cost.md"} <= set(os.listdir(TEXT))
    assert verify_folder(TEXT) == []


def test_parts_of_an_older_spec_go(decoder: Path) -> None:
    build(str(decoder), emit=["torch"])
    decoder.write_text(decoder.read_text().replace("gelu_tanh", "relu"))
    build(str(decoder), emit=["report"])
    assert set(os.listdir(TEXT)) == {"cost.md", "manifest.json"}


def test_the_manifest_knows_the_spec_and_every_class(decoder: Path) -> None:
    build(str(decoder), emit=["torch"])
    manifest = read_manifest(TEXT)
    assert manifest is not None
    assert manifest.origin.spec == decoder.as_posix()
    lines = decoder.read_text().splitlines()
    said = {
        lines[mark.spec_line - 1].strip().partition(":")[0] for mark in manifest.lines["model.py"]
    }
    assert {"attn", "mlp", "final"} <= said


@pytest.mark.parametrize(("precision", "run"), [("bf16", "fp32"), ("int8", "int8")])
def test_a_build_for_cuda_says_that_its_model_was_not_run(
    decoder: Path, precision: Precision, run: str
) -> None:
    built = build(str(decoder), target=Target("cuda", precision), verify=True)
    assert built.agreed is not None and built.agreed.ok
    assert built.agreed.reason.startswith(f"for cpu in {run}: the model for cuda was not run; ")


@pytest.mark.parametrize("target", [Target(), Target("cpu")], ids=lambda each: each.provider)
def test_the_manifest_says_what_the_model_is_for(decoder: Path, target: Target) -> None:
    build(str(decoder), weights="none", target=target)
    manifest = read_manifest(BINARIES)
    assert manifest is not None
    model = onnx.load(str(BINARIES / "model.onnx"), load_external_data=False)
    assert manifest.model == {
        "target": target.provider,
        "precision": "fp32",
        "opset": model.opset_import[0].version,
        "ir_version": model.ir_version,
        "onnxruntime": ">=1.23",
        "longest": {"ids": 1024},
        "vocabularies": {"ids": 50},
        "data": ["model.onnx.data"],
        "runs": {"model.onnx": "at every step"},
    }
    text = read_manifest(TEXT)
    assert text is not None and not text.model


def test_what_was_said_of_a_model_stays_with_it(decoder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    build(str(decoder), weights="none", out=str(out), target=Target("cpu"))
    build(str(decoder), emit=["report"], out=str(out))
    (folder,) = {path.parent for path in out.rglob("model.onnx")}
    manifest = read_manifest(folder)
    assert manifest is not None and manifest.model["target"] == "cpu"


def test_a_manifest_that_says_nothing_of_a_model_is_read(decoder: Path) -> None:
    build(str(decoder), weights="none")
    path = BINARIES / "manifest.json"
    document = json.loads(path.read_text())
    del document["model"]
    path.write_text(json.dumps(document))
    manifest = read_manifest(BINARIES)
    assert manifest is not None and manifest.model == {}


def test_without_weights_only_graphs_are_written(decoder: Path) -> None:
    build(str(decoder), weights="none")
    assert set(os.listdir(BINARIES)) == {"model.onnx", "manifest.json"}


def test_drawn_weights_beyond_4_gib_are_not_written_and_that_is_said(decoder: Path) -> None:
    built = build(str(decoder), set=["vocab=2**20", "d_model=2048"])
    assert any("4 GiB" in note for note in built.notes)
    assert sum(path.stat().st_size for path in BINARIES.iterdir()) < 1 << 20


def test_an_input_that_nothing_reads_is_in_no_call(decoder: Path) -> None:
    decoder.write_text(decoder.read_text().replace("inputs: {", "inputs: {given: {mask: [T, T]}, "))
    assert build(str(decoder), verify=True).ok
    model = onnx.load(str(BINARIES / "model.onnx"), load_external_data=False)
    assert "given" in {each.name for each in model.graph.input}


def test_a_stream_needs_a_place(decoder: Path) -> None:
    with pytest.raises(CannotAnswer, match="no place of its own"):
        build("-")


def test_weights_go_round(decoder: Path) -> None:
    """Built weights load into the module; a saved state dict builds; files come out the same."""
    import torch
    from safetensors.torch import load_file

    build(str(decoder))
    first = (BINARIES / "model.onnx.data").read_bytes()
    found = importlib.util.spec_from_file_location("tiny_model", TEXT / "model.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    model = module.Tiny()
    model.load_state_dict(load_file(BINARIES / "model.safetensors"), strict=True)
    torch.save(model.state_dict(), "saved.pt")
    build(str(decoder), weights="saved.pt")
    assert (BINARIES / "model.onnx.data").read_bytes() == first
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(1.0)
    torch.save(model.state_dict(), "saved.pt")
    build(str(decoder), weights="saved.pt")
    assert (BINARIES / "model.onnx.data").read_bytes() != first


def test_numbers_of_the_summary_are_exact(decoder: Path) -> None:
    document = json.loads(json.dumps(build(str(decoder), weights="none").document()))
    D, V, R, L = 16, 50, 1024, 2
    expected = V * D + R * D + L * (12 * D * D + 13 * D) + 2 * D
    assert document["totals"]["parameters"] == expected
