"""Scores of contents with distances in ONNX, over heads that come side by side in the width."""

from pathlib import Path

import numpy as np
import pytest

from compiler import ops
from tests.backends.onnx.built import build
from tests.backends.onnx.test_heads import HEADS, SIZES, WIDE, Net, S, T

ROWS = 7


@pytest.mark.parametrize("parts", [("keys",), ("queries",), ("keys", "queries")])
def test_pairs_have_the_products_of_their_distance(parts: tuple[str, ...], tmp_path: Path) -> None:
    net = Net()
    q, k = net.heads("q", T, HEADS, WIDE), net.heads("k", S, HEADS, WIDE)
    bucket = net.enter("bucket", T, S, element="int")
    rows = [
        net.enter(name, ROWS, HEADS * WIDE) if name in parts else None
        for name in ("keys", "queries")
    ]
    (bias,) = net.op("bias", ops.DisentangledBias(0.3), q, k, bucket, *rows)
    built = build(net.returns({"y": bias}), {}, tmp_path)
    for batch, target, length in SIZES:
        draw = np.random.default_rng(1)
        given = {
            "q": draw.normal(size=(batch, target, HEADS * WIDE)).astype("f4"),
            "k": draw.normal(size=(batch, length, HEADS * WIDE)).astype("f4"),
            "bucket": draw.integers(0, ROWS, (target, length)),
            **{name: draw.normal(size=(ROWS, HEADS * WIDE)).astype("f4") for name in parts},
        }
        expected = np.zeros((batch, HEADS, target, length))
        for b, h, t, s in np.ndindex(*expected.shape):
            own, row = slice(h * WIDE, (h + 1) * WIDE), given["bucket"][t, s]
            for name, asking in (("keys", given["q"][b, t]), ("queries", given["k"][b, s])):
                if name in parts:
                    expected[b, h, t, s] += 0.3 * asking[own] @ given[name][row, own]
        np.testing.assert_allclose(built.run(**given)["y"], expected, atol=2e-6)
