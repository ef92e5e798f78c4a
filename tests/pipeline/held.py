"""A small model with attention and experts, its weights, and builds of it."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from safetensors.numpy import save_file

import archspec
from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.pipeline.passes import lowered
from compiler.pipeline.reading import shapes_of
from compiler.runtime.opening import open_session

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
