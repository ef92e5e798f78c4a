"""Norms and factors of heads, from and to a flat width, against torch."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import compiler.ops as ops
from compiler.ir.operator import Operator
from compiler.ir.size import Size
from tests.backends.onnx.built import Array, build, random_weights
from tests.backends.onnx.test_heads import SIZES, B, Net, T
from tests.ops import attentions
from tests.ops.cases import NORMS
from tests.ops.given import Given

HEADS, WIDE = 3, 6


def checked(operator: Operator, folder: Path, *more: tuple[Size, ...]) -> None:
    """An operator on heads and perhaps another input, at two sizes."""
    net = Net()
    added = [net.enter(f"in_{n}", *shape) for n, shape in enumerate(more)]
    (y,) = net.op("it", operator, net.heads("x", T, HEADS, WIDE), *added)
    program = net.returns({"y": net.op("merge", ops.MergeHeads(), y)[0]})
    built = build(program, random_weights(program), folder)
    weights = {n.removeprefix("it."): torch.tensor(a) for n, a in built.weights.items()}
    draw = np.random.default_rng(0)
    for batch, target, _ in SIZES:
        sizes = {"B": batch, "T": target}
        x = draw.normal(size=(batch, target, HEADS * WIDE)).astype("f4")
        rest: dict[str, Array] = {
            f"in_{n}": draw.normal(size=[sizes.get(str(s), 1) for s in shape]).astype("f4")
            for n, shape in enumerate(more)
        }
        heads = torch.tensor(x).view(batch, target, HEADS, WIDE).transpose(1, 2)
        given = Given([heads, *map(torch.tensor, rest.values())], weights)
        wanted = attentions.RULES[type(operator)](operator, given).transpose(1, 2).flatten(2)
        np.testing.assert_allclose(built.run(x=x, **rest)["y"], wanted.numpy(), atol=2e-6)


@pytest.mark.parametrize("norm", NORMS.values(), ids=NORMS)
@pytest.mark.parametrize("kind", [ops.HeadNorm, ops.PerHeadNorm])
def test_norms(kind: Any, norm: Any, tmp_path: Path) -> None:
    checked(kind(norm), tmp_path)


@pytest.mark.parametrize("norm", [ops.L2Norm(1e-6), ops.RmsNorm(1e-3, weight=False)])
def test_norms_without_weights(norm: Any, tmp_path: Path) -> None:
    checked(ops.HeadNorm(norm), tmp_path)


@pytest.mark.parametrize("shape", [(T, 1), (B, 1, T, 1)])
def test_sharpened_queries(shape: tuple[Size, ...], tmp_path: Path) -> None:
    checked(ops.Sharpen(placed=len(shape) > 2), tmp_path, shape)
