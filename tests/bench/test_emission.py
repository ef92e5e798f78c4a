"""How long the ONNX graph alone takes: from a fused program to bytes on disk, without weights; and
what a build in place brings along."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import onnx
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import archspec
from compiler.backends.onnx import MODEL, Emitted, emit
from compiler.passes.fuse import fuse
from compiler.passes.stateless import stateless
from compiler.pipeline.passes import lowered
from tests.bench import weights_without_memory
from tests.bench.process import ROOT
from tests.bench.shapes import SIZES
from tests.bench.test_cold_start import HEAVY, held, loaded

MOST_BYTES = 200 * 10**6
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


def test_a_build_in_place_imports_onnx_alone(tmp_path: Path) -> None:
    """The 125M Llama from a file of zeros, which takes no room."""
    chosen, given = replace(SIZES["125M"], sparse=True), tmp_path / "zeros.safetensors"
    weights_without_memory.checkpoint(chosen, given)
    line = weights_without_memory.words(chosen, given, tmp_path / "out", "fp32")
    assert set(loaded(line)) & HEAVY == {"onnx"}
    model = onnx.load(next(tmp_path.glob("out/*/*/model.onnx")), load_external_data=False)
    said = [each for tensor in model.graph.initializer for each in tensor.external_data]
    assert {each.value for each in said if each.key == "location"} == {given.name}


@pytest.mark.parametrize("precision", ["fp32", "int4"])
def test_a_build_holds_next_to_nothing_of_its_weights(precision: str, tmp_path: Path) -> None:
    """500 MB of them, and less than 200 MB at the peak, imports included."""
    chosen, given = replace(SIZES["125M"], sparse=True), tmp_path / "zeros.safetensors"
    assert weights_without_memory.checkpoint(chosen, given) > 490 * 10**6
    line = weights_without_memory.words(chosen, given, tmp_path / "out", precision)
    assert held(line) < MOST_BYTES
