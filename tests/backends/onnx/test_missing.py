"""What the runtime cannot run as asked, against what it says itself when it loads the model."""

from pathlib import Path
from typing import get_args

import onnxruntime
import pytest

from compiler.backends.onnx.folded import folded
from compiler.backends.onnx.kernels import Table, table
from compiler.backends.onnx.missing import Missing, missing
from compiler.backends.onnx.singles import RECURRENT
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Precision, Target
from tests.backends.onnx.built import build, compiled, random_weights
from tests.generated.samples import form, forms, small
from tests.shipped import DISTINCT

CUDA = [Target("cuda", precision) for precision in get_args(Precision)]
SINGLE = {"Clip", "Conv", "Log", "ReduceL2", "ReduceMax", "TopK"}
"""Operators without kernels for bfloat16 that are computed in float32."""
ON_THE_CPU = {"ArgMax", "Pad"}
"""Operators with whole numbers that CUDA has no kernels for: the place of an end-of-text token, and
mixtures' counts."""


def operators(found: list[Missing]) -> set[str]:
    return {each.operator for each in found}


@pytest.mark.parametrize("path", DISTINCT)
def test_every_spec_runs_on_every_target(path: str) -> None:
    for each in forms(path):
        for target in (Target(), Target("cpu")):
            assert missing(folded(each, target), target) == []
        for target in CUDA:
            found = missing(folded(each, target), target)
            for node in found:
                bars = {"cpu": ON_THE_CPU, "single": SINGLE, None: set(RECURRENT)}
                assert node.operator in bars[node.instead]
            assert target.floats == "bf16" or {node.instead for node in found} <= {"cpu"}


@pytest.mark.parametrize("provider", ["portable", "cpu", "cuda"])
def test_what_is_written_is_what_was_looked_at(provider: str) -> None:
    """Folded or not, with all fusions, the same operators are missing or none."""
    for path in ("specs/decoder/gpt2.yaml", "specs/multimodal/clip-b32.yaml"):
        target = Target(provider)  # type: ignore[arg-type]
        whole = small(path).whole
        assert operators(missing(unrolled(whole, target), target)) == operators(
            missing(folded(whole, target), target)
        )


def test_a_recurrence_has_no_kernel_in_bfloat16() -> None:
    target = Target("cuda", "bf16")
    lines = []
    for program in forms("specs/history/01-seq2seq-gru.yaml"):
        found = missing(folded(program, target), target)
        (cell,) = [each for each in found if each.operator == "GRU"]
        assert (cell.types[0], cell.instead) == ("bfloat16", None)
        lines.append([span.line for span in cell.spans])
    assert lines == [[12], [14]]


def test_half_precision_on_the_cpu_is_cast() -> None:
    target = Target("cpu", "fp16")
    found = missing(folded(form("specs/decoder/gpt2.yaml"), target), target)
    assert {"com.microsoft.FusedMatMul", "Add"} <= operators(found)
    assert {each.instead for each in found} == {"cast"}


def test_layers_are_counted() -> None:
    target = Target("cpu", "fp16")
    listing = folded(form("specs/decoder/gpt2.yaml"), target)
    (products,) = [each for each in missing(listing, target) if "FusedMatMul" in each.operator]
    assert products.count == 12 * (len(products.nodes) - 1) + 1, "the head stands once"


def test_the_runtime_refuses_what_its_table_lacks(tmp_path: Path) -> None:
    """Without a kernel for it in the table an operator is missing; with the real table it loads."""
    spec = {
        "name": "one",
        "inputs": {"x": {"features": ["T", 4]}},
        "graph": {"y": {"linear": {"dim": 3, "act": "relu"}, "in": "x"}},
    }
    made = compiled(spec)
    known = table()
    kernels = {name: found for name, found in known.kernels["cpu"].items() if name != "Relu"}
    poorer = Table(known.runtime, known.schemas, {**known.kernels, "cpu": kernels})
    assert operators(missing(unrolled(made), Target(), poorer)) == {"Relu"}
    assert missing(unrolled(made), Target()) == []
    build(made, random_weights(made), tmp_path)
    onnxruntime.InferenceSession(tmp_path / "model.onnx", providers=["CPUExecutionProvider"])
