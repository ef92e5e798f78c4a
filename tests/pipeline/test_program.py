"""The Python API: what `archspec` and `compiler` offer, and that nothing else is promised."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import archspec
import compiler
from tests.shipped import SPECS

SPEC = Path(__file__).parents[2] / "specs" / "decoder" / "gpt2.yaml"
SMALL = {"n_layers": 2, "d_model": 16, "n_heads": 2, "vocab": 50, "max_len": 32}


def test_the_front_of_both_packages() -> None:
    assert set(compiler.__all__) == {"__version__", "compile"}
    assert {"load", "read", "Spec", "SpecError", "Diagnostic", "Label", "Span"} <= set(
        archspec.__all__
    )
    assert str(inspect.signature(archspec.load)).startswith("(source: ")
    assert "set" in inspect.signature(archspec.load).parameters


def test_a_mapping_is_a_spec_as_well() -> None:
    graph = {"tok": {"embed": {"vocab": 9, "dim": 8}, "in": "ids"}, "y": {"unembed": {"vocab": 9}}}
    spec = archspec.load({"name": "tiny", "inputs": {"ids": "tokens"}, "graph": graph})
    assert compiler.compile(spec).cost().totals["parameters"] == 2 * 9 * 8


def test_one_program_gives_source_costs_and_a_model(tmp_path: Path) -> None:
    program = compiler.compile(archspec.load(SPEC, set=SMALL))
    assert "class " in program.torch()
    D, V, R, L = 16, 50, 32, 2
    layer = 12 * D * D + 13 * D
    assert program.cost(B=1, T=8).totals["parameters"] == V * D + R * D + L * layer + 2 * D
    program.onnx(tmp_path / "model")
    assert (tmp_path / "model" / "model.onnx").is_file()


def test_shapes_that_do_not_fit_are_errors_with_diagnostics() -> None:
    with pytest.raises(archspec.SpecError) as caught:
        compiler.compile(archspec.load(SPEC, set={"n_heads": 7}))
    assert all(found.code.startswith("AR") for found in caught.value.diagnostics)
    assert "error[AR" in str(caught.value)


def test_lengths_are_whole_numbers_and_never_overflow() -> None:
    program = compiler.compile(archspec.load(SPECS / "decoder/llama3-8b.yaml"))
    at = {"B": 2**20, "T": 2**20, "S": 2**20}
    exact = program.cost(**at).totals["matmul_flops"]
    assert exact > 2**63
    found = program.cost(**{name: np.int64(size) for name, size in at.items()})  # type: ignore[arg-type]
    assert found.totals["matmul_flops"] == exact
    for wrong in (1.5, "8", None):
        with pytest.raises(TypeError, match="`T` must be a whole number"):
            program.cost(T=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`T` must be a whole number"):
            program.diff(program, T=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`tp` must be a whole number"):
            program.cost().parallel(tp=wrong)  # type: ignore[arg-type]
