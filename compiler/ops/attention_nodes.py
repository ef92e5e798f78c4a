"""Attention step by step in ONNX, over heads that come side by side in the width."""

from typing import Any

from compiler.ir.rules import Builder
from compiler.ir.size import value
from compiler.ops.hidden import hidden


def scores(b: Builder, scale: float | None, softcap: float | None) -> Any:
    """scale·q·kᵀ or sum·tanh(q + k) [B, H, T, S], plus `b.bias`, soft-capped."""
    width = value(b.dim("K"))
    if b.has("sum"):
        found = _heads(b, _added(b, width))
    else:
        q = b.op("Mul", b.q, b.number(width**-0.5 if scale is None else scale))
        found = _heads(b, b.op("MatMul", _grouped(b, q, "K"), _source(b, b.k, "K", (4, 1))))
    if b.has("bias"):
        found = b.op("Add", found, b.bias)
    if softcap is None:
        return found
    cap = b.number(softcap)
    return b.op("Mul", b.op("Tanh", b.op("Div", found, cap)), cap)


def shares(b: Builder, found: Any) -> Any:
    """Weights [B, H, T, S] of masked scores; with `b.sink` as one more source that is dropped."""
    kept = hidden(b, found)
    if b.has("sink"):
        rows = b.op("ReduceMax", kept, b.ints(-1), keepdims=1)
        sink = b.op("Reshape", b.sink, b.ints(1, -1, 1, 1))
        most = b.op("Max", rows, sink)
        raised = b.op("Exp", b.op("Sub", kept, most))
        total = b.op("ReduceSum", raised, b.ints(-1), keepdims=1)
        return b.op("Div", raised, b.op("Add", total, b.op("Exp", b.op("Sub", sink, most))))
    weights = b.op("Softmax", kept, axis=-1)
    if not b.has("seen"):
        return weights
    return b.op("Mul", weights, b.op("Cast", b.seen, to=b.float_type))


def mixture(b: Builder, weights: Any) -> Any:
    """Values mixed by weights: [B, T, H·W]."""
    heads, groups, width = (value(b.dim(letter)) for letter in "HGW")
    shape = b.op("Shape", weights, start=2, end=4)
    apart = b.op("Concat", b.ints(0, groups, heads // groups), shape, axis=0)
    mixed = b.op("MatMul", b.op("Reshape", weights, apart), _source(b, b.v, "W", (1, 4)))
    rows = b.op("Transpose", mixed, perm=[0, 3, 1, 2, 4])
    return b.op("Reshape", rows, b.ints(0, 0, heads * width))


def _added(b: Builder, width: int) -> Any:
    """sum·tanh(q + k) of every pair: [B, G, H / G, T, S]."""
    heads, groups = (value(b.dim(letter)) for letter in "HG")
    q = b.op("Unsqueeze", _grouped(b, b.q, "K"), b.ints(4))
    k = b.op("Unsqueeze", _source(b, b.k, "K", (1, 4)), b.ints(3))
    each = b.op("Reshape", b.sum, b.ints(1, groups, heads // groups, 1, width, 1))
    return b.op("Squeeze", b.op("MatMul", b.op("Tanh", b.op("Add", q, k)), each), b.ints(5))


def _grouped(b: Builder, q: Any, letter: str) -> Any:
    """Queries by the key head that they read: [B, G, H / G, T, K]."""
    heads, groups, width = (value(b.dim(name)) for name in ("H", "G", letter))
    apart = b.op("Reshape", q, b.ints(0, 0, groups, heads // groups, width))
    return b.op("Transpose", apart, perm=[0, 2, 3, 1, 4])


def _source(b: Builder, x: Any, letter: str, last: tuple[int, int]) -> Any:
    """Keys or values for all queries of a group: [B, G, 1, …], the axes `last` of [B, S, G, 1, K]
    at the end."""
    apart = b.op("Reshape", x, b.ints(0, 0, value(b.dim("G")), 1, value(b.dim(letter))))
    return b.op("Transpose", apart, perm=[0, 2, 3, *last])


def _heads(b: Builder, product: Any) -> Any:
    """[B, G, H / G, T, S] to [B, H, T, S]."""
    shape = b.op("Shape", product, start=3, end=5)
    together = b.op("Concat", b.ints(0, value(b.dim("H"))), shape, axis=0)
    return b.op("Reshape", product, together)
