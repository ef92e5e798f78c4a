"""Experts in ONNX: each multiplies the rows that it was sent, with weights of its own."""

from pathlib import Path

import numpy as np
import onnx
import pytest

from compiler.backends.onnx import emit
from compiler.importers.lazy import Lazy, stack
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.size import letter
from compiler.ir.types import TensorType
from compiler.ops import GroupedLinear
from tests.backends.onnx.built import Array, build, lazy, random_weights, single

E, I, O = 4, 6, 5


def experts(count: int = E, bias: bool = True) -> Program:
    operator = GroupedLinear(count, O, 1, bias=bias, stacked=True)
    inputs = [TensorType("float", (letter("T"), I)), TensorType("int", (count,))]
    return single(operator, inputs, Letters(), ["y"])


@pytest.mark.parametrize(
    "counts", [[3, 2, 1, 4], [0, 7, 0, 0], [0, 0, 0, 1], [5, 0, 0, 5]], ids=str
)
@pytest.mark.parametrize("bias", [True, False])
def test_every_row_takes_the_map_of_its_expert(
    counts: list[int], bias: bool, tmp_path: Path
) -> None:
    built = build(experts(bias=bias), random_weights(experts(bias=bias)), tmp_path)
    rows = np.random.default_rng(0).normal(size=(sum(counts), I)).astype("f4")
    found = built.run(rows=rows, end=np.array(counts))["y"]
    owner = [e for e, count in enumerate(counts) for _ in range(count)]
    for row, e, y in zip(rows, owner, found, strict=True):
        wanted = built.weights["op.weight"][e] @ row
        wanted = wanted + built.weights["op.bias"][e] if bias else wanted
        np.testing.assert_allclose(y, wanted, atol=1e-5)


def test_a_single_expert_needs_no_split(tmp_path: Path) -> None:
    built = build(experts(1), random_weights(experts(1)), tmp_path)
    rows = np.ones((3, I), "f4")
    wanted = rows @ built.weights["op.weight"][0].T + built.weights["op.bias"][0]
    np.testing.assert_allclose(built.run(rows=rows, end=np.array([3]))["y"], wanted, atol=1e-5)
    kinds = [node.op_type for node in onnx.load(tmp_path / "model.onnx").graph.node]
    assert kinds == ["MatMul", "Add"]


def test_the_file_names_weights_expert_by_expert(tmp_path: Path) -> None:
    build(experts(bias=False), random_weights(experts(bias=False)), tmp_path)
    model = onnx.load(tmp_path / "model.onnx", load_external_data=False)
    held = {w.name: list(w.dims) for w in model.graph.initializer if w.name.endswith(".T")}
    assert held == {f"{e}.op.weight.T": [I, O] for e in range(E)}


def test_stacked_sources_are_read_expert_by_expert(tmp_path: Path) -> None:
    """A stack of parts is not put together for each of them."""
    program, loads = experts(bias=False), 0
    weights = random_weights(program)["op.weight"]

    def counted(index: int) -> Lazy:
        def load() -> Array:
            nonlocal loads
            loads += 1
            found: Array = weights[index]
            return found

        return Lazy(weights[index].shape, "F32", load)

    emit({"model": program}, {"op.weight": stack([counted(e) for e in range(E)])}, tmp_path)
    assert loads == E
    (apart,) = (tmp_path / "model.onnx",)
    whole = tmp_path / "whole"
    whole.mkdir()
    emit({"model": program}, {"op.weight": lazy(weights)}, whole)
    assert apart.read_bytes() == (whole / "model.onnx").read_bytes()


def test_a_stack_of_another_shape_is_refused(tmp_path: Path) -> None:
    wrong = lazy(np.zeros((E, O, I + 1), "f4"))
    with pytest.raises(ValueError, match=r"op\.weight"):
        emit({"model": experts(bias=False)}, {"op.weight": wrong}, tmp_path)
