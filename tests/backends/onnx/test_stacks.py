"""Layers that differ, that share weights, and that run side by side."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from tests.backends.onnx.built import Array, Built, build, compiled, random_weights

FULL = {
    "attn": {"attention": {"heads": 2, "mask": "causal"}},
    "mlp": {"mlp": {"hidden": 12, "act": "relu"}},
}
ROTARY = {**FULL, "attn": {"attention": {"heads": 2, "mask": "causal", "rope": {"theta": 50}}}}


def spec(graph: Mapping[str, Any]) -> dict[str, Any]:
    """Three layers deep or more, over features of width 8."""
    return {
        "name": "stacked",
        "inputs": {"x": {"features": ["T", 8]}},
        "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True},
        "graph": graph,
    }


def run(built: Built) -> Array:
    """The only output for features that are the same for all."""
    x = np.random.default_rng(1).normal(size=(2, 5, 8)).astype("f4")
    (found,) = built.run(x=x).values()
    return found


def test_a_cycle_with_an_exception_is_its_layers_in_a_row(tmp_path: Path) -> None:
    """Layers 0 to 5 alternate, and 4 is another one: written as a stack and as six stacks."""
    stack = {
        "repeat": 6,
        "layer": FULL,
        "cycle": [{}, {"attn.rope": {"theta": 50}}],
        "at": {4: {"mlp.act": "gelu"}},
    }
    folded = compiled(spec({"h": {"stack": stack, "in": "x"}}))
    gelu = {**FULL, "mlp": {"mlp": {"hidden": 12, "act": "gelu"}}}
    layers = [FULL, ROTARY, FULL, ROTARY, gelu, ROTARY]
    rows: dict[str, Any] = {
        f"h{n}": {"stack": {"repeat": 1, "layer": layer}} for n, layer in enumerate(layers)
    }
    rows["h0"]["in"] = "x"
    plain = compiled(spec(rows))
    weights = random_weights(folded)
    renamed = {_single(name): array for name, array in weights.items()}
    one = build(folded, weights, _folder(tmp_path, "one"))
    other = build(plain, renamed, _folder(tmp_path, "other"))
    assert one.emitted.nodes == other.emitted.nodes
    np.testing.assert_allclose(run(one), run(other), rtol=1e-6)


def test_shared_layers_are_stored_once_and_run_each_time(tmp_path: Path) -> None:
    stack = {"repeat": 4, "layer": FULL}
    shared = compiled(spec({"h": {"stack": {**stack, "share": True}, "in": "x"}}))
    own = compiled(spec({"h": {"stack": stack, "in": "x"}}))
    weights = random_weights(shared)
    assert all(name.startswith("h.0.") for name in weights)
    copies = {
        name.replace("h.0.", f"h.{n}."): array for name, array in weights.items() for n in range(4)
    }
    one = build(shared, weights, _folder(tmp_path, "one"))
    other = build(own, copies, _folder(tmp_path, "other"))
    assert one.emitted.nodes == other.emitted.nodes
    stored_once = sum(array.nbytes for array in weights.values())
    assert other.emitted.bytes - one.emitted.bytes >= 3 * stored_once
    np.testing.assert_allclose(run(one), run(other), rtol=1e-6)


def test_parallel_branches_read_one_norm(tmp_path: Path) -> None:
    layer = {"both": {"parallel": FULL}}
    program = compiled(spec({"h": {"stack": {"repeat": 2, "layer": layer}, "in": "x"}}))
    built = build(program, random_weights(program), tmp_path)
    weights = {name: torch.tensor(array) for name, array in built.weights.items()}
    x = torch.tensor(np.random.default_rng(1).normal(size=(2, 5, 8)).astype("f4"))
    for n in range(2):
        own = {k.removeprefix(f"h.{n}.both."): v for k, v in weights.items() if f"h.{n}." in k}
        normed = functional.layer_norm(x, (8,), own["norm.weight"], own["norm.bias"], 1e-5)
        x = x + _attention(normed, own) + _mlp(normed, own)
    np.testing.assert_allclose(run(built), x.numpy(), atol=2e-5)


def _attention(x: torch.Tensor, own: Mapping[str, torch.Tensor]) -> torch.Tensor:
    qkv = functional.linear(x, own["attn.qkv.weight"], own["attn.qkv.bias"])
    q, k, v = (part.reshape(2, 5, 2, 4).transpose(1, 2) for part in qkv.chunk(3, dim=2))
    mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    joined = mixed.transpose(1, 2).reshape(2, 5, 8)
    return functional.linear(joined, own["attn.o.weight"], own["attn.o.bias"])


def _mlp(x: torch.Tensor, own: Mapping[str, torch.Tensor]) -> torch.Tensor:
    hidden = functional.relu(functional.linear(x, own["mlp.up.weight"], own["mlp.up.bias"]))
    return functional.linear(hidden, own["mlp.down.weight"], own["mlp.down.bias"])


def _single(name: str) -> str:
    """`h.3.attn.o.weight` in a graph of stacks `h3` with one layer each."""
    stack, layer, rest = name.split(".", 2)
    return f"{stack}{layer}.0.{rest}"


def _folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    return folder
