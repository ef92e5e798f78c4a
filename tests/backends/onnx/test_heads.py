"""Operators on heads, from and to a flat width, against NumPy: attention, rotation, splitting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import compiler.ops as ops
from compiler.ir.graph import Graph, Node, Value
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import Size, letter
from compiler.ir.types import TensorType
from tests.backends.onnx.built import Array, build

B, T, S = letter("B"), letter("T"), letter("S")
SIZES = ((1, 1, 3), (3, 5, 2))
"""Batch sizes, target and source lengths."""

HEADS, GROUPS, WIDE, VALUE = 4, 2, 6, 3
"""Query heads, key heads, and how wide a head of keys and one of values is."""


class Net:
    """A program in the making: operators one after the other."""

    def __init__(self) -> None:
        self.main = Graph("main", "heads")

    def enter(self, name: str, *shape: Size, element: Any = "float") -> Value:
        return self.main.enter(name, TensorType(element, shape))

    def op(self, name: str, operator: Operator, *inputs: Value | None) -> tuple[Value, ...]:
        types = operator.infer(self.main.types(inputs), Letters())
        return self.main.add(Node(name, operator, inputs, types))

    def heads(self, name: str, source: Size, count: int, width: int) -> Value:
        flat = self.enter(name, B, source, count * width)
        return self.op(f"{name}_heads", ops.SplitHeads(count, width), flat)[0]

    def returns(self, values: Mapping[str, Value]) -> Program:
        self.main.outputs = dict(values)
        return Program("heads", {"main": self.main}, "main", Letters())


@dataclass(frozen=True)
class Scores:
    """What is done to scores before the softmax."""

    scale: float
    bias: Array | None = None
    cap: float | None = None
    sink: Array | None = None
    sum: Array | None = None

    def row(self, q: Array, keys: Array, place: tuple[int, int, int], there: Array) -> Array:
        """Of the row `place` of one head, from its query and the keys that it sees."""
        b, head, t = place
        found = self.scale * keys @ q
        if self.sum is not None:
            found = np.tanh(keys + q) @ self.sum[head]
        if self.bias is not None:
            found = found + self.bias[b % len(self.bias), head, t][there]
        return found if self.cap is None else self.cap * np.tanh(found / self.cap)


def softmax_mixture(q: Array, k: Array, v: Array, seen: Array, scores: Scores) -> Array:
    """Attention one head and one row at a time; a row that sees nothing gives zeros."""
    batch, target = q.shape[:2]
    mixed = np.zeros((batch, target, HEADS, VALUE))
    for b, head, t in np.ndindex(batch, HEADS, target):
        group = head * GROUPS // HEADS
        keys = k[b].reshape(-1, GROUPS, WIDE)[:, group].astype("f8")
        values = v[b].reshape(-1, GROUPS, VALUE)[:, group].astype("f8")
        query = q[b, t].reshape(HEADS, WIDE)[head].astype("f8")
        there = seen[b, t]
        if there.any():
            weights = np.exp(scores.row(query, keys[there], (b, head, t), there))
            rest = 0.0 if scores.sink is None else np.exp(scores.sink[head])
            mixed[b, t, head] = weights @ values[there] / (weights.sum() + rest)
    return mixed.reshape(batch, target, HEADS * VALUE)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("scale", [None, 0.7])
@pytest.mark.parametrize("causal", [False, True])
def test_attention(masked: bool, scale: float | None, causal: bool, tmp_path: Path) -> None:
    net = Net()
    source = T if causal else S
    q = net.heads("q", T, HEADS, WIDE)
    k, v = net.heads("k", source, GROUPS, WIDE), net.heads("v", source, GROUPS, VALUE)
    seen = net.enter("seen", B, 1, T, source, element="bool") if masked else None
    operator = ops.ScaledDotProductAttention(causal, grouped=True, scale=scale)
    (mixture,) = net.op("sdpa", operator, q, k, v, seen)
    built = build(net.returns({"y": net.op("merge", ops.MergeHeads(), mixture)[0]}), {}, tmp_path)
    for batch, target, length in SIZES:
        length = target if causal else length
        inputs = _normal([batch, target, HEADS * WIDE], "q")
        inputs |= _normal([batch, length, GROUPS * WIDE], "k")
        inputs |= _normal([batch, length, GROUPS * VALUE], "v")
        lower = np.tri(target, length, dtype=bool) if causal else np.ones((target, length), bool)
        visible = np.broadcast_to(lower, (batch, target, length))
        if masked:
            visible = visible & (np.random.default_rng(3).random(visible.shape) < 0.5)
            inputs["seen"] = visible[:, None]
        expected = softmax_mixture(
            inputs["q"], inputs["k"], inputs["v"], visible, Scores(scale or WIDE**-0.5)
        )
        np.testing.assert_allclose(built.run(**inputs)["y"], expected, atol=2e-6)


def attended(operator: Operator, parts: Sequence[str], rows: Size, folder: Path) -> None:
    """An attention with some of a mask, a bias and a sink, against the same row by row."""
    net = Net()
    q, k = net.heads("q", T, HEADS, WIDE), net.heads("k", S, GROUPS, WIDE)
    v = net.heads("v", S, GROUPS, VALUE)
    shapes: dict[str, tuple[Size, ...]] = {
        "seen": (B, 1, T, S),
        "bias": (rows, HEADS, T, S),
        "sink": (HEADS,),
        "sum": (HEADS, WIDE),
    }
    ports = [port.name for port in operator.signature.inputs[3:]]
    added = [
        net.enter(n, *shapes[n], element="bool" if n == "seen" else "float") if n in parts else None
        for n in ports
    ]
    (mixture,) = net.op("sdpa", operator, q, k, v, *added)
    built = build(net.returns({"y": net.op("merge", ops.MergeHeads(), mixture)[0]}), {}, folder)
    for batch, target, length in SIZES:
        inputs = _normal([batch, target, HEADS * WIDE], "q")
        inputs |= _normal([batch, length, GROUPS * WIDE], "k")
        inputs |= _normal([batch, length, GROUPS * VALUE], "v")
        numbers = {
            **_normal([1 if rows == 1 else batch, HEADS, target, length], "bias"),
            **_normal([HEADS], "sink"),
            **_normal([HEADS, WIDE], "sum"),
        }
        visible = np.random.default_rng(3).random((batch, target, length)) < 0.5
        inputs |= {name: array for name, array in numbers.items() if name in parts}
        if "seen" in parts:
            inputs["seen"] = visible[:, None]
        cap = getattr(operator, "softcap", None)
        more = {name: inputs.get(name) for name in ("bias", "sink", "sum")}
        scores = Scores(WIDE**-0.5, cap=cap, **more)
        seen = visible | ("seen" not in parts)
        expected = softmax_mixture(inputs["q"], inputs["k"], inputs["v"], seen, scores)
        np.testing.assert_allclose(built.run(**inputs)["y"], expected, atol=2e-6)


@pytest.mark.parametrize("rows", [B, 1])
@pytest.mark.parametrize("parts", [("bias",), ("seen", "bias")])
def test_attention_with_a_bias(parts: tuple[str, ...], rows: Size, tmp_path: Path) -> None:
    attended(ops.BiasedAttention(grouped=True), parts, rows, tmp_path)


PARTS = [(), ("seen",), ("bias",), ("seen", "bias"), ("sink",), ("seen", "sink"),
         ("seen", "bias", "sink"), ("sum",), ("seen", "bias", "sink", "sum")]  # fmt: skip


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("cap", [None, 0.5])
def test_attention_step_by_step(parts: tuple[str, ...], cap: float | None, tmp_path: Path) -> None:
    """Whether one node computes it or several: soft cap after the bias and before the mask."""
    attended(ops.ExplicitAttention(grouped=True, softcap=cap), parts, 1, tmp_path)


@pytest.mark.parametrize("pairs", ["halves", "adjacent"])
@pytest.mark.parametrize("turned", [4, 8])
def test_rotation(pairs: Any, turned: int, tmp_path: Path) -> None:
    """Each pair is a complex number that is multiplied with exp(i · angle)."""
    net = Net()
    x = net.enter("x", B, T, 6)
    (angle,) = net.op("angle", ops.RopeAngles(turned, 50.0, pairs), x, None)
    (y,) = net.op("turn", ops.Rotate(pairs, partial=turned < 8), net.heads("q", T, 3, 8), angle)
    built = build(net.returns({"y": net.op("merge", ops.MergeHeads(), y)[0]}), {}, tmp_path)
    for batch, target, _ in SIZES:
        inputs = _normal([batch, target, 24], "q") | _normal([batch, target, 6], "x")
        heads = inputs["q"].reshape(batch, target, 3, 8)
        rates = 50.0 ** (-np.arange(0, turned, 2) / turned)
        angles = np.outer(np.arange(target), rates)[:, None]
        first, second = _pairs(heads[..., :turned].astype("f8"), pairs)
        turn = (first + 1j * second) * np.exp(1j * angles)
        found = built.run(**inputs)["y"].reshape(batch, target, 3, 8)
        for part, wanted in zip(
            _pairs(found[..., :turned], pairs), (turn.real, turn.imag), strict=True
        ):
            np.testing.assert_allclose(part, wanted, atol=2e-6)
        assert np.array_equal(found[..., turned:], heads[..., turned:])


@pytest.mark.parametrize("pairs", ["halves", "adjacent"])
def test_rotation_by_places_of_each_row(pairs: Any, tmp_path: Path) -> None:
    """As `test_rotation`, every row with places of its own."""
    net = Net()
    place = net.enter("place", B, T, element="int")
    (angle,) = net.op("angle", ops.PlacedAngles(8, 50.0, pairs), place)
    (y,) = net.op("turn", ops.Rotate(pairs, placed=True), net.heads("q", T, 3, 8), angle)
    built = build(net.returns({"y": net.op("merge", ops.MergeHeads(), y)[0]}), {}, tmp_path)
    for batch, target, _ in SIZES:
        inputs = _normal([batch, target, 24], "q")
        inputs["place"] = np.random.default_rng(0).integers(0, 9, (batch, target))
        heads = inputs["q"].reshape(batch, target, 3, 8)
        rates = 50.0 ** (-np.arange(0, 8, 2) / 8)
        first, second = _pairs(heads.astype("f8"), pairs)
        turn = (first + 1j * second) * np.exp(1j * inputs["place"][..., None, None] * rates)
        found = built.run(**inputs)["y"].reshape(batch, target, 3, 8)
        for part, wanted in zip(_pairs(found, pairs), (turn.real, turn.imag), strict=True):
            np.testing.assert_allclose(part, wanted, atol=2e-6)


@pytest.mark.parametrize("wide", [WIDE, VALUE])
def test_a_cache_that_is_not_there_passes_keys_and_values_on(wide: int, tmp_path: Path) -> None:
    net = Net()
    k, v = net.heads("k", T, GROUPS, WIDE), net.heads("v", T, GROUPS, wide)
    operator = ops.CacheUpdate(T) if wide == WIDE else ops.JointCacheUpdate(T, WIDE + wide)
    kept = net.op("cache", operator, k, v, None, None)
    merged = [net.op(f"merge_{n}", ops.MergeHeads(), value)[0] for n, value in enumerate(kept)]
    built = build(net.returns(dict(zip(("keys", "values"), merged, strict=True))), {}, tmp_path)
    inputs = _normal([2, 3, GROUPS * WIDE], "k") | _normal([2, 3, GROUPS * wide], "v")
    found = built.run(**inputs)
    assert np.array_equal(found["keys"], inputs["k"])
    assert np.array_equal(found["values"], inputs["v"])


def _pairs(x: Array, kind: str) -> tuple[Array, Array]:
    half = x.shape[-1] // 2
    return (x[..., :half], x[..., half:]) if kind == "halves" else (x[..., ::2], x[..., 1::2])


def _normal(shape: Sequence[int], name: str) -> dict[str, Array]:
    """Numbers that are the same for the same name and shape."""
    rng = np.random.default_rng([*map(ord, name), *shape])
    return {name: rng.normal(size=shape).astype("f4")}
