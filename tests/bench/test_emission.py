"""How long the ONNX graph alone takes: from a fused program to bytes on disk, without weights."""

from collections.abc import Callable
from pathlib import Path

import onnx
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import archspec
from compiler.backends.onnx import MODEL, Emitted, emit
from compiler.passes.fuse import fuse
from compiler.passes.stateless import stateless
from compiler.pipeline.passes import lowered
from tests.bench.process import ROOT

LAYERS = {"decoder/gpt2": 12, "decoder/gpt3-175b": 96, "decoder/llama3-8b": 32}


@pytest.mark.parametrize("name", LAYERS)
def test_emitting_a_graph(name: str, tmp_path: Path, benchmark: BenchmarkFixture) -> None:
    program = stateless(fuse(lowered(archspec.load(ROOT / "specs" / f"{name}.yaml"))))
    repeated: Callable[..., Emitted] = benchmark.pedantic
    emitted = repeated(emit, ({"model": program}, None, tmp_path), rounds=5)
    graph = onnx.load(tmp_path / MODEL, load_external_data=False).graph
    assert len(graph.node) == emitted.nodes
    layers = {node.name.split("/")[2] for node in graph.node if node.name.startswith("/h/")}
    assert layers == set(map(str, range(LAYERS[name])))
    benchmark.extra_info["nodes"] = emitted.nodes
