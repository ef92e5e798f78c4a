"""Every operator's ONNX nodes against torch or NumPy, for two batch sizes and lengths."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import compiler.ops as ops
from compiler.ir.graph import Node
from compiler.ir.letters import Letters
from compiler.ir.size import letter
from compiler.ir.types import Element, TensorType
from tests.backends.onnx.built import Array, build, random_weights, single
from tests.backends.onnx.operator_cases import CASES, Case

B, T = letter("B"), letter("T")
SIZES = ({"B": 1, "T": 1, "S": 3}, {"B": 3, "T": 5, "S": 2})
"""The lengths that an operator is run with, after having been built once."""


@pytest.mark.parametrize("name", CASES)
def test_nodes_compute_what_the_operator_says(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    types = _types(case)
    results = len(case.operator.infer(types, Letters()))
    outputs = [f"y{port}" for port in range(results)]
    program = single(case.operator, types, Letters(), outputs)
    built = build(program, random_weights(program), tmp_path)
    weights = {name.removeprefix("op."): array for name, array in built.weights.items()}
    for seed, sizes in enumerate(SIZES):
        inputs = _inputs(case, sizes, np.random.default_rng(seed))
        numbers = {n: torch.tensor(array) for n, array in {**weights, **inputs}.items()}
        expected = case.oracle(numbers)
        found = built.run(**inputs)
        for output, wanted in zip(outputs, _several(expected), strict=True):
            assert found[output].shape == tuple(wanted.shape)
            np.testing.assert_allclose(found[output], wanted.numpy(), atol=2e-6, rtol=2e-6)


def test_every_operator_has_a_case() -> None:
    tested = {type(case.operator).__name__ for case in CASES.values()}
    elsewhere = {"Borrow", "RopeAngles", "Rotate"}
    assert tested | elsewhere == set(ops.__all__)


@pytest.mark.parametrize("pairs", ["halves", "adjacent"])
@pytest.mark.parametrize("turned", [4, 8])
def test_rotary_embedding_turns_pairs(pairs: Any, turned: int, tmp_path: Path) -> None:
    """Each pair is a complex number that is multiplied with exp(i · angle)."""
    key, x = Letters(), TensorType("float", (B, T, 6))
    program = single(ops.RopeAngles(turned, 50.0, pairs), (x, None), key, ["angle"])
    main = program.main
    heads = main.enter("heads", TensorType("float", (B, 2, T, 8)))
    rotate = ops.Rotate(pairs, partial=turned < 8)
    inputs = (heads, main.outputs["angle"])
    (y,) = main.add(Node("rotate", rotate, inputs, rotate.infer(main.types(inputs), key)))
    main.outputs = {"y": y}
    built = build(program, {}, tmp_path)
    for seed, sizes in enumerate(SIZES):
        rng = np.random.default_rng(seed)
        given = rng.normal(size=(sizes["B"], 2, sizes["T"], 8)).astype("f4")
        whole = given[..., :turned].astype("f8")
        first, second = (
            (whole[..., : turned // 2], whole[..., turned // 2 :])
            if pairs == "halves"
            else (whole[..., ::2], whole[..., 1::2])
        )
        rates = 50.0 ** (-np.arange(0, turned, 2) / turned)
        angle = np.outer(np.arange(sizes["T"]), rates)
        turn = (first + 1j * second) * np.exp(1j * angle)
        parts = (turn.real, turn.imag)
        expected = (
            np.concatenate(parts, -1)
            if pairs == "halves"
            else np.stack(parts, -1).reshape(whole.shape)
        )
        outcome = built.run(x=np.zeros((sizes["B"], sizes["T"], 6), "f4"), heads=given)["y"]
        np.testing.assert_allclose(outcome[..., :turned], expected, atol=2e-6)
        assert np.array_equal(outcome[..., turned:], given[..., turned:])


def _types(case: Case) -> list[TensorType | None]:
    found: list[TensorType | None] = []
    for port in case.operator.signature.inputs:
        known = case.inputs.get(port.name)
        found.append(None if known is None else TensorType(port.element, known))
    return found


def _inputs(case: Case, sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, Array]:
    elements: dict[str, Element] = {p.name: p.element for p in case.operator.signature.inputs}
    found: dict[str, Array] = {}
    for name, dims in case.inputs.items():
        actual = [sizes[str(size)] if str(size) in sizes else int(str(size)) for size in dims]
        if elements[name] == "int":
            found[name] = rng.integers(0, case.below[name], actual)
        elif elements[name] == "bool":
            found[name] = rng.random(actual) < 0.5
        else:
            found[name] = rng.normal(size=actual).astype("f4")
    return found


def _several(found: torch.Tensor | tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    return found if isinstance(found, tuple) else (found,)
