"""A residual step is `post(a x + s g out(f(pre(x))))`, with every letter where the spec puts it."""

import itertools
from typing import Any

import pytest
import torch
from torch import Tensor

from compiler.ir.graph import Call
from compiler.ops import Dropout
from tests.backends.torch.live import Live, live
from tests.lower.specs import decoder, over, program

D = 8
MLP = {"mlp": {"hidden": 12, "act": "tanh"}}


def stack(sub: dict[str, Any], **more: Any) -> Live:
    """One layer of one step over features `x`, without norms unless it says so."""
    step = {"norm_at": "none", **sub}
    return live(over(D, {"h": {"stack": {"repeat": 1, "layer": {"m": step}, **more}}}))


def mlp(found: Live, x: Tensor, path: str = "h.0.m") -> Tensor:
    w = found.weights
    return torch.tanh(x @ w[f"{path}.up.weight"].T) @ w[f"{path}.down.weight"].T


def rms(found: Live, x: Tensor, name: str) -> Tensor:
    """RMS norm with the gain of the step's norm."""
    gain = found.weights[f"h.0.m.{name}.weight"]
    return x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt() * gain


PLACES = [set(p) for n in range(4) for p in itertools.combinations(("pre", "out", "post"), n)]


@pytest.mark.parametrize("places", PLACES, ids=lambda p: "+".join(sorted(p)) or "none")
def test_norms_stand_where_they_are_put(places: set[str]) -> None:
    norm = {"norm": {"rms": 1e-6}, "norm_at": sorted(places)} if places else {}
    found = stack({**MLP, **norm})
    x = found.inputs()["x"]
    y = mlp(found, rms(found, x, "norm") if "pre" in places else x)
    y = x + (rms(found, y, "out_norm") if "out" in places else y)
    y = rms(found, y, "post_norm") if "post" in places else y
    assert torch.allclose(found.found({"x": x})[0], y)


@pytest.mark.parametrize("options", PLACES[:4], ids=str)
def test_scales_stand_where_they_are_put(options: set[str]) -> None:
    values = {"pre": {"skip_scale": 3.0}, "out": {"branch_scale": 0.5}, "post": {"layerscale": 0.1}}
    found = stack({**MLP, **{k: v for o in options for k, v in values[o].items()}})
    x = found.inputs()["x"]
    y = mlp(found, x)
    y = y * found.weights["h.0.m.layerscale.weight"] if "post" in options else y
    y = y * 0.5 if "out" in options else y
    y = y + (3 * x if "pre" in options else x)
    assert torch.allclose(found.found({"x": x})[0], y)


def test_everything_at_once() -> None:
    step = {**MLP, "norm": {"rms": 1e-6}, "norm_at": ["pre", "out", "post"], "branch_scale": 0.5,
            "skip_scale": 2.0, "layerscale": 0.3}  # fmt: skip
    found = stack(step)
    x, g = found.inputs()["x"], found.weights["h.0.m.layerscale.weight"]
    branch = rms(found, mlp(found, rms(found, x, "norm")), "out_norm")
    expected = rms(found, 2 * x + 0.5 * g * branch, "post_norm")
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_mixers_in_parallel_read_one_norm_and_are_added() -> None:
    step = {"parallel": {"a": MLP, "b": MLP}, "norm": {"rms": 1e-6}, "norm_at": "pre"}
    found = stack(step)
    x = found.inputs()["x"]
    h = rms(found, x, "norm")
    expected = x + mlp(found, h, "h.0.m.a") + mlp(found, h, "h.0.m.b")
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_mixers_in_parallel_may_have_norms_of_their_own() -> None:
    one = {**MLP, "norm": {"rms": 1e-6}}
    found = stack({"parallel": {"a": one, "b": MLP}})
    x = found.inputs()["x"]
    h = x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    h = h * found.weights["h.0.m.a.norm.weight"]
    expected = x + mlp(found, h, "h.0.m.a") + mlp(found, x, "h.0.m.b")
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_three_in_parallel() -> None:
    found = stack({"parallel": {"a": MLP, "b": MLP, "norm": MLP}})
    x = found.inputs()["x"]
    branches = [mlp(found, x, f"h.0.m.{name}") for name in ("a", "b", "norm")]
    assert torch.allclose(found.found({"x": x})[0], x + sum(branches))


def test_layers_run_one_after_the_other_each_with_its_own_weights() -> None:
    found = live(
        over(D, {"h": {"stack": {"repeat": 3, "layer": {"m": {**MLP, "norm_at": "none"}}}}})
    )
    x = found.inputs()["x"]
    expected = x
    for layer in range(3):
        expected = expected + mlp(found, expected, f"h.{layer}.m")
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_shared_layers_have_one_set_of_weights() -> None:
    body = {"m": {**MLP, "norm_at": "none"}}
    found = live(over(D, {"h": {"stack": {"repeat": 3, "layer": body, "share": True}}}))
    x = found.inputs()["x"]
    assert set(found.weights) == {"h.0.m.up.weight", "h.0.m.down.weight"}
    expected = x
    for _ in range(3):
        expected = expected + mlp(found, expected)
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_dropout_stands_on_the_branch_the_weights_and_the_inner_activations() -> None:
    rates = {"residual": 0.1, "attention": 0.2, "hidden": 0.3}
    layer = {"attn": {"attention": {"heads": 4, "mask": "causal"}}, "mlp": MLP}
    found = program(decoder({k: {**v, "dropout": rates} for k, v in layer.items()}))
    drops = {
        f"{name}.{node.id}": node.what.rate
        for name, graph in found.graphs.items()
        for node in graph
        if isinstance(node.what, Dropout)
    }
    assert drops == {
        "h.layer.attn.drop": 0.1,
        "h.layer.mlp.drop": 0.3,
        "h.layer.mlp.drop_2": 0.1,
    }
    sdpa: Any = found.graphs["h.layer.attn"]["sdpa"].what
    assert sdpa.dropout == 0.2


def test_stochastic_depth_leaves_out_whole_rows_in_training() -> None:
    found = stack({**MLP, "drop_path": 0.4})
    given = found.inputs(200, 3)
    x = given["x"]
    branch = mlp(found, x)
    assert torch.allclose(found.found(given)[0], x + branch)
    found.model.train()
    (y,) = found.found(given)
    without = (y == x).flatten(1).all(dim=1)
    assert torch.allclose(y[~without], (x + branch / 0.6)[~without])
    assert 0.25 < without.double().mean() < 0.55


@pytest.mark.parametrize("name", ["x", "norm", "add", "pos", "kv", "seen", "sum"])
def test_a_sub_layer_may_have_any_name(name: str) -> None:
    attention = {"attention": {"heads": 4, "mask": "causal"}}
    both = {"parallel": {name: attention, "other": MLP}}
    found = live(decoder({name: attention, "both": both}))
    assert isinstance(found.plain.graphs["h.layer"][name].what, Call)
    assert f"h.0.{name}.q.weight" in found.weights
    assert f"h.0.both.{name}.q.weight" in found.weights
    assert found.apart(found.inputs()) <= 1e-6
