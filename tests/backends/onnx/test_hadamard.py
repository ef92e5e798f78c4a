"""Spreading outliers: an orthogonal matrix of equal entries, and what it saves a product."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx.numpy_helper import to_array

from compiler.backends.onnx import MODEL, emit
from compiler.backends.onnx.hadamard import signs, spread_rows, width
from compiler.backends.onnx.text import onnx_text
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.runtime.opening import open_session
from tests.backends.onnx.built import Array, compiled, lazy, random_weights

INT8: Final = Target("cpu", "int8")
WIDE: Final = 192


def sylvester(size: int) -> npt.NDArray[np.floating]:
    """Each is four of the one before, the last of them negative (Sylvester 1867)."""
    made: npt.NDArray[np.floating] = np.ones((1, 1))
    while len(made) < size:
        made = np.kron([[1, 1], [1, -1]], made)
    return made


@pytest.mark.parametrize(("inputs", "block"), [(384, 64), (96, 32), (48, 16), (100, 1), (8, 1)])
def test_blocks_are_the_largest_powers_of_two_that_fit(inputs: int, block: int) -> None:
    assert width(inputs) == block
    found = spread_rows(np.eye(inputs, dtype="f4"))
    own = np.diag(signs(block)) @ sylvester(block) * block**-0.5
    np.testing.assert_allclose(found, np.kron(np.eye(inputs // block), own), atol=1e-7)
    np.testing.assert_allclose(found @ found.T, np.eye(inputs), atol=1e-6)


def test_neither_an_outlier_nor_what_all_share_stays_one() -> None:
    """Without signs, equal numbers would become one that is eight times as large."""
    for rows in (64 * np.eye(64, dtype="f4"), np.full((1, 64), 8, "f4")):
        assert np.abs(spread_rows(rows)).max() <= 20


def spec(*shape: Any, wide: int = WIDE) -> dict[str, Any]:
    return {
        "name": "spread",
        "inputs": {"x": {"features": [*shape, wide]}},
        "graph": {"y": {"linear": {"dim": 64}, "in": "x"}},
        "outputs": ["y"],
    }


def step(numbers: Array) -> float:
    """What a scale for all of them rounds to."""
    return float(max(numbers.max(), 0) - min(numbers.min(), 0)) / 255


def test_a_product_does_not_suffer_from_a_channel_of_large_numbers(tmp_path: Path) -> None:
    """Half a step off at most is 0.29 of it on average; weights add as much again at most."""
    program = compiled(spec("T"))
    weights = random_weights(program)
    emit({"model": program}, {n: lazy(a) for n, a in weights.items()}, tmp_path, target=INT8)
    x = np.random.default_rng(2).normal(size=(2, 40, WIDE)).astype("f4")
    x[..., 7] *= 40
    found = open_session(tmp_path, threads=1, device="cpu").run({"x": x})["y"]
    w = weights["y.weight"].astype(np.float64)
    wanted = x @ w.T + weights.get("y.bias", 0)
    off = float(np.sqrt(np.square(found - wanted).mean()))
    norm = float(np.sqrt(np.square(w).sum(axis=1).mean()))
    plain = 0.29 * step(x) * norm
    assert off < plain / 3
    assert off < 2 * 0.29 * step(spread_rows(x.reshape(-1, WIDE))) * norm


@pytest.mark.parametrize("wide", [33, 66, 96, 448])
def test_a_product_is_that_of_the_numbers_to_which_both_sides_are_rounded(
    wide: int, tmp_path: Path
) -> None:
    """Inputs to 256 steps between the ends of all of them, as DynamicQuantizeLinear says, weights
    to what lies in the file. Rounding moves the product by a hundredth and more; here a few inputs
    between two steps may go to the other one."""
    program = compiled(spec("T", wide=wide))
    weights = random_weights(program)
    emit({"model": program}, {n: lazy(a) for n, a in weights.items()}, tmp_path, target=INT8)
    x = np.random.default_rng(2).normal(size=(2, 40, wide)).astype("f4")
    x[..., 7] *= 40
    found = open_session(tmp_path, threads=1, device="cpu").run({"x": x})["y"]
    even = spread_rows(x.reshape(-1, wide)).astype(np.float64)
    zero = np.rint(-min(even.min(), 0) / step(even))
    rounded = (np.clip(np.rint(even / step(even)) + zero, 0, 255) - zero) * step(even)
    held = {t.name: to_array(t) for t in onnx.load(str(tmp_path / MODEL)).graph.initializer}
    columns = held["y.weight.int8"] * held["y.weight.int8.scales"].astype(np.float64)
    wanted = (rounded @ columns).reshape(found.shape) + weights.get("y.bias", 0)
    assert np.linalg.norm(found - wanted) < 1e-3 * np.linalg.norm(wanted)


def test_one_matrix_serves_a_whole_model() -> None:
    said = spec("T") | {
        "graph": {"h": {"linear": {"dim": WIDE}, "in": "x"}, "y": {"linear": {"dim": 64}}}
    }
    found = unrolled(compiled(said), INT8)
    assert [each for each in found.constants if each.startswith("hadamard")] == ["hadamard(64)"]
    assert found.constants["hadamard(64)"].shape == (64, 64)
    assert "hadamard(64): float32[64, 64] = 0.125 .. " in onnx_text(compiled(said), INT8)
    products = [each for each in found.flat() if each.kind == "MatMul"]
    assert [each.inputs[1] for each in products] == ["hadamard(64)"] * 2


def test_blocks_of_weights_and_floats_are_left_as_they_are() -> None:
    for target in (Target("cpu"), Target("cpu", "int4"), Target("cuda", "int8")):
        assert not [n for n in unrolled(compiled(spec("T")), target).constants if "hadamard" in n]
