"""Every other component with its options, against the formula that its page gives."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.models.nemotron.modeling_nemotron import NemotronLayerNorm1P

from tests.backends.torch.live import Live, live
from tests.lower.specs import MLP, Tree, model, over

D = 12
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "relu": functional.relu,
    "relu2": lambda x: functional.relu(x) ** 2,
    "silu": functional.silu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
}


def node(component: Tree, width: int = D) -> Live:
    """A component as the node `y` over features."""
    return live(over(width, {"y": component}))


def linear(x: Tensor, found: Live, name: str) -> Tensor:
    w = found.weights
    return functional.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("act", ACTIVATIONS)
def test_mlp(act: str, bias: bool) -> None:
    found = node({"mlp": {"hidden": 20, "act": act, "bias": bias}})
    x = found.inputs()["x"]
    inner = ACTIVATIONS[act](linear(x, found, "y.up"))
    assert torch.allclose(found.found({"x": x})[0], linear(inner, found, "y.down"))
    assert ("y.up.bias" in found.weights) == bias


@pytest.mark.parametrize("act", ["silu", "gelu", "sigmoid"])
def test_gated_mlp(act: str) -> None:
    found = node({"mlp": {"hidden": 20, "act": act, "gated": True}})
    x = found.inputs()["x"]
    inner = ACTIVATIONS[act](linear(x, found, "y.gate")) * linear(x, found, "y.up")
    assert torch.allclose(found.found({"x": x})[0], linear(inner, found, "y.down"))


@pytest.mark.parametrize("act", [None, "tanh"])
def test_linear(act: str | None) -> None:
    found = node({"linear": {"dim": 7, "bias": True, **({"act": act} if act else {})}})
    x = found.inputs()["x"]
    y = linear(x, found, "y")
    assert torch.allclose(found.found({"x": x})[0], ACTIVATIONS[act](y) if act else y)


NORMS: list[tuple[Any, nn.Module]] = [
    ({"layer": 1e-3}, nn.LayerNorm(D, eps=1e-3)),
    ({"layer": {"eps": 1e-5, "bias": False}}, nn.LayerNorm(D, bias=False)),
    ({"layer": {"eps": 1e-5, "affine": False}}, nn.LayerNorm(D, elementwise_affine=False)),
    ({"rms": 1e-6}, nn.RMSNorm(D, eps=1e-6)),
    ({"rms": {"eps": 1e-6, "affine": False}}, nn.RMSNorm(D, eps=1e-6, elementwise_affine=False)),
]


@pytest.mark.parametrize(("form", "oracle"), NORMS)
def test_norm(form: Any, oracle: nn.Module) -> None:
    found = node({"norm": form})
    oracle.double().load_state_dict({n.removeprefix("y."): t for n, t in found.weights.items()})
    x = found.inputs()["x"]
    assert torch.allclose(found.found({"x": x})[0], oracle(x))


def test_norm_with_a_gain_around_one() -> None:
    found = node({"norm": {"rms": {"eps": 1e-6, "unit_offset": True}}})
    x = found.inputs()["x"]
    expected = functional.rms_norm(x, (D,), 1 + found.weights["y.weight"], 1e-6)
    assert torch.allclose(found.found({"x": x})[0], expected, atol=1e-5)


def test_layer_norm_with_a_gain_around_one_is_nemotrons() -> None:
    found = node({"norm": {"layer": {"eps": 1e-5, "unit_offset": True}}})
    theirs = NemotronLayerNorm1P(D)
    theirs.load_state_dict({n.removeprefix("y."): t for n, t in found.weights.items()})
    x = found.inputs()["x"]
    assert torch.allclose(found.found({"x": x})[0], theirs(x.float()).double(), atol=1e-5)


def test_norm_to_unit_length() -> None:
    found = node({"norm": "l2"})
    (y,) = found.found(found.inputs())
    assert torch.allclose(y.norm(dim=-1), torch.ones(()).double())


def test_embedding_in_its_order() -> None:
    """Row times scale, plus positions, plus type, then norm, then the map."""
    table = {"vocab": 9, "dim": 6, "project": D, "scale": 3.0, "types": 2,
             "positions": {"learned": 20, "offset": 2}, "norm": {"layer": 1e-5}}  # fmt: skip
    found = live(model({"e": {"embed": table, "in": "ids"}}))
    given, w = found.inputs(2, 5), found.weights
    x = w["e.tokens.weight"][given["ids"]] * 3 + w["e.positions.weight"][2:7]
    x = x + w["e.types.weight"][given["ids_types"]]
    x = functional.layer_norm(x, (6,), w["e.norm.weight"], w["e.norm.bias"])
    assert torch.allclose(found.found(given)[0], x @ w["e.project.weight"].T)
    assert w["e.positions.weight"].shape == (22, 6)
    without = {"ids": given["ids"]}
    zeros = {**given, "ids_types": torch.zeros_like(given["ids"])}
    assert torch.equal(found.found(without)[0], found.found(zeros)[0])


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("span", ["d", "d-2"])
def test_sinusoids(layout: str, span: str) -> None:
    form = {"sinusoid": {"max": 30, "base": 500, "layout": layout, "span": span}}
    found = node({"positions": form}, 6)
    x = found.inputs(1, 4)["x"]
    pairs = 3 if span == "d" else 2
    for t in range(4):
        angles = [t / 500 ** (i / pairs) for i in range(3)]
        sines, cosines = [math.sin(a) for a in angles], [math.cos(a) for a in angles]
        mixed = [v for pair in zip(sines, cosines, strict=True) for v in pair]
        row = torch.tensor(mixed if layout == "interleaved" else sines + cosines).double()
        assert torch.allclose(found.found({"x": x})[0][0, t], x[0, t] + row, atol=1e-6)


def test_unembedding_in_its_order() -> None:
    head = {"vocab": 9, "in_scale": 0.5, "project": 5, "bias": True, "scale": 2.0}
    found = node({"unembed": head})
    x, w = found.inputs()["x"], found.weights
    expected = 2 * functional.linear(x * 0.5 @ w["y_project.weight"].T, w["y.weight"], w["y.bias"])
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_logits_stay_below_the_cap() -> None:
    found = node({"unembed": {"vocab": 9, "scale": 3.0, "softcap": 5.0}})
    x, w = found.inputs()["x"], found.weights
    expected = 5 * torch.tanh(3 * x @ w["y.weight"].T / 5)
    assert torch.allclose(found.found({"x": x})[0], expected)


def test_unembedding_through_a_map_into_a_tied_table() -> None:
    """OPT-350m: a narrow table, a map behind it and a map before it."""
    graph = {
        "e": {"embed": {"vocab": 9, "dim": 5, "project": D}, "in": "ids"},
        "y": {"unembed": {"tie": "e", "project": 5}},
    }
    found = live(model(graph))
    ids, w = found.inputs()["ids"], found.weights
    h = w["e.tokens.weight"][ids] @ w["e.project.weight"].T
    expected = h @ w["y_project.weight"].T @ w["e.tokens.weight"].T
    assert torch.allclose(found.found({"ids": ids})[0], expected)


def test_the_mean_of_nothing_is_zero() -> None:
    found = node({"pool": {"mean": {"skip": 2}}})
    x = found.inputs(2, 5)["x"]
    assert torch.allclose(found.found({"x": x})[0], x[:, 2:].mean(1))
    assert torch.equal(found.found({"x": x[:, :1]})[0], torch.zeros_like(x[:, 0]))


def test_tied_unembedding_has_no_table_of_its_own() -> None:
    graph = {"e": {"embed": {"vocab": 9, "dim": D}, "in": "ids"}, "y": {"unembed": {"tie": "e"}}}
    found = live(model(graph))
    ids, table = found.inputs()["ids"], found.weights["e.weight"]
    assert list(found.weights) == ["e.weight"]
    assert torch.allclose(found.found({"ids": ids})[0], table[ids] @ table.T)


@pytest.mark.parametrize("form", [{}, {"bias": True}, {"temperature": 0.2}], ids=str)
def test_contrast(form: Any) -> None:
    graph = {
        "a": {"pool": "first", "in": "x"},
        "b": {"pool": "mean", "in": "x"},
        "y": {"contrast": form, "in": ["a", "b"]},
    }
    found = live(model(graph, {"x": {"features": ["T", D]}}))
    x, w = found.inputs(3, 4)["x"], found.weights
    cosine = functional.cosine_similarity(x[:, 0][:, None], x.mean(1), dim=2)
    factor = w["y.temperature"].exp() if "y.temperature" in w else 1 / 0.2
    assert torch.allclose(found.found({"x": x})[0], cosine * factor + w.get("y.bias", 0))
    assert set(w) == {f"y.{n}" for n in ("temperature", "bias")[: len(w)]}


POOLS: dict[str, tuple[Any, Callable[[Tensor, Tensor, Tensor], Tensor]]] = {
    "first": ("first", lambda x, ids, real: x[:, 0]),
    "index": ({"index": -2}, lambda x, ids, real: x[:, -2]),
    "mean": ("mean", lambda x, ids, real: (x * real[..., None]).sum(1) / real.sum(1)[:, None]),
    "mean from 1": (
        {"mean": {"skip": 1}},
        lambda x, ids, real: (x * real[..., None])[:, 1:].sum(1) / real[:, 1:].sum(1)[:, None],
    ),
    "last": ("last", lambda x, ids, real: x[torch.arange(len(x)), real.sum(1) - 1]),
}


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("padded", [False, True])
def test_pools_obey_padding(name: str, padded: bool) -> None:
    form, expected = POOLS[name]
    graph = {"e": {"embed": {"vocab": 9, "dim": D}, "in": "ids"}, "y": {"pool": form}}
    found = live(model(graph, {"ids": {"tokens": {"padded": padded}}}))
    given = found.inputs(3, 6)
    x = found.weights["e.weight"][given["ids"]]
    real = given.get("ids_mask", torch.ones_like(given["ids"], dtype=torch.bool))
    if name == "index" and padded:
        x, real = x[:2], real[:2]
        given = {name: value[:2] for name, value in given.items()}
    assert torch.allclose(found.found(given)[0], expected(x, given["ids"], real))


@pytest.mark.parametrize(("token", "places"), [(3, [2, 0, 1]), ("max_id", [3, 0, 1])])
def test_pool_at_a_token(token: Any, places: list[int]) -> None:
    graph = {
        "e": {"embed": {"vocab": 9, "dim": D}, "in": "ids"},
        "y": {"pool": {"eos": {"ids": "ids", "token": token}}},
    }
    found = live(model(graph))
    ids = torch.tensor([[1, 2, 3, 8, 3], [3, 3, 1, 0, 0], [0, 3, 0, 1, 1]])
    x = found.weights["e.weight"][ids]
    assert torch.allclose(found.found({"ids": ids})[0], x[torch.arange(3), torch.tensor(places)])


@pytest.mark.parametrize("prefix", [[], ["cls"], ["cls", "dist", {"registers": 3}]])
@pytest.mark.parametrize(("size", "image"), [(4, [8, 12]), ([2, 4], 8)])
def test_patches(size: Any, image: Any, prefix: list[Any]) -> None:
    form = {"size": size, "image": image, "dim": D, "bias": True, "prefix": prefix,
            "positions": "learned", "norm": {"layer": 1e-5}}  # fmt: skip
    high, wide = image if isinstance(image, list) else (image, image)
    graph = {"y": {"patches": form, "in": "pixels"}}
    found = live(model(graph, {"pixels": {"image": [3, high, wide]}}))
    pixels, w = found.inputs(2)["pixels"], found.weights
    stride = tuple(size) if isinstance(size, list) else (size, size)
    grid = functional.conv2d(pixels, w["y.project.weight"], w["y.project.bias"], stride=stride)
    tokens = [w[f"y.{n}.weight"] for n in ("cls", "dist", "registers") if f"y.{n}.weight" in w]
    rows = [t.expand(2, -1, -1) for t in tokens]
    x = torch.cat([*rows, grid.flatten(2).mT], dim=1) + w["y.positions.weight"]
    expected = functional.layer_norm(x, (D,), w["y.norm.weight"], w["y.norm.bias"])
    assert torch.allclose(found.found({"pixels": pixels})[0], expected)
    assert [len(t) for t in tokens] == [1, 1, 3][: len(prefix)]


def test_joins_of_edges() -> None:
    graph: Tree = {
        "a": {"linear": {"dim": 5}, "in": "x"},
        "b": {"linear": {"dim": 5}, "in": "x"},
        "c": {"concat": {}, "in": ["a", "x", "b"]},
        "m": {"mean_of": {}, "in": ["a", "b", "a"]},
    }
    found = live(over(D, graph, outputs=["c", "m"]))
    x = found.inputs()["x"]
    a, b = linear(x, found, "a"), linear(x, found, "b")
    joined, mean = found.found({"x": x})
    assert torch.allclose(joined, torch.cat((a, x, b), dim=-1))
    assert torch.allclose(mean, (2 * a + b) / 3)


def test_dropout_as_a_node() -> None:
    found = live(over(D, {"y": {"dropout": 0.5}}))
    x = found.inputs()["x"]
    assert torch.equal(found.found({"x": x})[0], x)
    found.model.train()
    assert not torch.equal(found.found({"x": x})[0], x)
    none = live(over(D, {"m": MLP, "y": {"dropout": 0}}))
    assert "dropout" not in none.generated.text
