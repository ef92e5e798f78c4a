"""Every operator's ONNX nodes against torch or NumPy, for two batch sizes and lengths."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import torch

import compiler.ops as ops
from compiler.ir.letters import Letters
from compiler.ir.types import Element, TensorType
from tests.backends.onnx.built import Array, build, random_weights, single
from tests.backends.onnx.operator_cases import CASES, Case

SIZES = ({"B": 1, "T": 1, "S": 3}, {"B": 3, "T": 5, "S": 2})
"""The lengths that an operator is run with, after having been built once."""

HEADS = (
    "SplitHeads",
    "MergeHeads",
    "ScaledDotProductAttention",
    "BiasedAttention",
    "DisentangledBias",
    "ExplicitAttention",
    "HandOver",
    "HeadNorm",
    "PerHeadNorm",
    "Sharpen",
    "RopeAngles",
    "PlacedAngles",
    "Rotate",
    "CacheUpdate",
    "JointCacheUpdate",
    "LatentAttention",
    "RowCacheUpdate",
)
"""What `test_heads` and its like test: alone they move nothing."""


@pytest.mark.parametrize("name", CASES)
def test_nodes_compute_what_the_operator_says(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    types = types_of(case)
    results = len(case.operator.infer(types, Letters()))
    outputs = [f"y{port}" for port in range(results)]
    program = single(case.operator, types, Letters(), outputs)
    built = build(program, random_weights(program), tmp_path)
    weights = {name.removeprefix("op."): array for name, array in built.weights.items()}
    for seed, sizes in enumerate(SIZES):
        inputs = inputs_of(case, sizes, np.random.default_rng(seed))
        numbers = {n: torch.tensor(array) for n, array in {**weights, **inputs}.items()}
        expected = case.oracle(numbers)
        found = built.run(**inputs)
        for output, wanted in zip(outputs, _several(expected), strict=True):
            assert found[output].shape == tuple(wanted.shape)
            np.testing.assert_allclose(found[output], wanted.numpy(), atol=2e-6, rtol=2e-6)


def test_every_operator_has_a_case() -> None:
    tested = {type(case.operator).__name__ for case in CASES.values()}
    elsewhere = {"Borrow", "GroupedLinear", "PastState", "PresentState", *HEADS}
    assert tested | elsewhere == set(ops.__all__)


def types_of(case: Case) -> list[TensorType | None]:
    found: list[TensorType | None] = []
    for port in case.operator.signature.inputs:
        known = case.inputs.get(port.name)
        found.append(None if known is None else TensorType(port.element, known))
    return found


def inputs_of(case: Case, sizes: Mapping[str, int], rng: np.random.Generator) -> dict[str, Array]:
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
