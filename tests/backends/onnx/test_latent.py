"""Latent attention in ONNX Runtime, its rows mapped or its queries, against the definition."""

from pathlib import Path

import numpy as np
import pytest
import torch

import compiler.ops as ops
from compiler.ir.size import Size
from tests.backends.onnx.built import Array, build, random_weights
from tests.backends.onnx.test_heads import B, Net, S, T
from tests.ops.attentions import latent_attention
from tests.ops.given import Given

HEADS, STILL, TURNING, VALUE, RANK = 4, 6, 2, 5, 7
OPERATOR = ops.LatentAttention(RANK, STILL, TURNING, VALUE, 0.3, causal=True)


def run(source: Size, masked: bool, folder: Path, batch: int, target: int, length: int) -> None:
    net = Net()
    q = net.heads("q", T, HEADS, STILL + TURNING)
    row = net.enter("row", B, source, RANK + TURNING)
    seen = net.enter("seen", B, 1, T, source, element="bool") if masked else None
    (y,) = net.op("kv_b", OPERATOR, q, row, seen, None)
    program = net.returns({"y": net.op("merge", ops.MergeHeads(), y)[0]})
    built = build(program, random_weights(program), folder)
    rng = np.random.default_rng(length)
    inputs: dict[str, Array] = {
        "q": rng.normal(size=(batch, target, HEADS * (STILL + TURNING))).astype("f4"),
        "row": rng.normal(size=(batch, length, RANK + TURNING)).astype("f4"),
    }
    if masked:
        seen_ = rng.random((batch, 1, target, length)) < 0.6
        inputs["seen"] = seen_ & np.tri(target, length, length - target, dtype=bool)
    given = {name: torch.tensor(array) for name, array in inputs.items()}
    heads = given["q"].view(batch, target, HEADS, -1).transpose(1, 2)
    weights = {"weight": torch.tensor(built.weights["kv_b.weight"])}
    wanted = latent_attention(
        OPERATOR, Given([heads, given["row"], given.get("seen"), None], weights)
    )
    found = built.run(**inputs)["y"]
    np.testing.assert_allclose(found, wanted.transpose(1, 2).flatten(2).numpy(), atol=3e-6)


@pytest.mark.parametrize("masked", [False, True])
def test_rows_are_mapped_where_a_sequence_begins(masked: bool, tmp_path: Path) -> None:
    run(T, masked, tmp_path, 2, 5, 5)


@pytest.mark.parametrize(("target", "length"), [(1, 6), (3, 7)])
def test_queries_are_mapped_where_it_goes_on(target: int, length: int, tmp_path: Path) -> None:
    run(S, True, tmp_path, 2, target, length)


def test_rows_pass_where_no_cache_is(tmp_path: Path) -> None:
    net = Net()
    row = net.enter("row", B, T, RANK)
    built = build(
        net.returns({"y": net.op("c", ops.RowCacheUpdate(T), row, None, None)[0]}), {}, tmp_path
    )
    rows = np.random.default_rng(0).normal(size=(2, 3, RANK)).astype("f4")
    assert np.array_equal(built.run(row=rows)["y"], rows)


def test_the_last_coordinates_turn(tmp_path: Path) -> None:
    net = Net()
    (angle,) = net.op("angle", ops.RopeAngles(4, 50.0, "adjacent"), net.enter("x", B, T, 6), None)
    operator = ops.Rotate("adjacent", partial=True, last=True)
    (y,) = net.op("turn", operator, net.heads("q", T, 3, 10), angle)
    built = build(net.returns({"y": net.op("merge", ops.MergeHeads(), y)[0]}), {}, tmp_path)
    q = np.random.default_rng(0).normal(size=(2, 5, 3, 10))
    found = built.run(q=q.reshape(2, 5, 30).astype("f4"), x=np.zeros((2, 5, 6), "f4"))["y"]
    angles = np.outer(np.arange(5), 50.0 ** (-np.arange(0, 4, 2) / 4))[:, None]
    turned = (q[..., 6::2] + 1j * q[..., 7::2]) * np.exp(1j * angles)
    wanted = np.concatenate(
        (q[..., :6], np.stack((turned.real, turned.imag), -1).reshape(2, 5, 3, 4)), -1
    )
    np.testing.assert_allclose(found.reshape(2, 5, 3, 10), wanted, atol=2e-6)
