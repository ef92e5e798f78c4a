"""Every operator's ONNX nodes against torch or NumPy, for two batch sizes and lengths."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import compiler.ops as ops
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.size import Size, letter
from compiler.ir.types import Element, TensorType
from tests.backends.onnx.built import Array, build, random_weights, single

B, T, S = letter("B"), letter("T"), letter("S")
SIZES = ({"B": 1, "T": 1, "S": 3}, {"B": 3, "T": 5, "S": 2})
"""The lengths that an operator is run with, after having been built once."""

Numbers = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Case:
    """An operator, its inputs' shapes by port (a missing one is left out), and what it computes."""

    operator: Operator
    inputs: Mapping[str, tuple[Size, ...]]
    oracle: Callable[[Numbers], torch.Tensor | tuple[torch.Tensor, ...]]
    below: Mapping[str, int] = field(default_factory=dict)
    """For an input of integers, what they are below."""


def shape(*sizes: Size) -> tuple[Size, ...]:
    return sizes


def _activation(kind: Any, oracle: Callable[[torch.Tensor], torch.Tensor]) -> Case:
    return Case(ops.Activation(kind), {"x": shape(B, T, 6)}, lambda n: oracle(n["x"]))


def _pool(operator: Operator, oracle: Callable[[Numbers], torch.Tensor], *more: str) -> Case:
    inputs = {"x": shape(B, T, 6)} | {name: shape(B, T) for name in more}
    return Case(operator, inputs, oracle, {"ids": 9})


def _attention(operator: Operator, oracle: Callable[[Numbers], torch.Tensor], **seen: Any) -> Case:
    source = T if isinstance(operator, ops.ScaledDotProductAttention) and operator.causal else S
    return Case(
        operator,
        {"q": shape(B, 4, T, 6), "k": shape(B, 2, source, 6), "v": shape(B, 2, source, 3)} | seen,
        oracle,
    )


def _sdpa(n: Numbers, mask: torch.Tensor | None = None, **options: Any) -> torch.Tensor:
    """Written out, a row that sees nothing gives zeros."""
    k, v = (n[name].repeat_interleave(2, dim=1) for name in "kv")
    scores = n["q"] @ k.mT * options.get("scale", 6**-0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(-1).nan_to_num(0.0) @ v


def _tril(n: Numbers) -> torch.Tensor:
    length = n["q"].shape[2]
    return torch.ones(length, length, dtype=torch.bool).tril()


def _masked_mean(n: Numbers, skip: int) -> torch.Tensor:
    rows = []
    for x, real in zip(n["x"][:, skip:], n["real"][:, skip:], strict=True):
        rows.append(x[real].mean(0) if real.any() else torch.zeros(6))
    return torch.stack(rows)


def _last_real(n: Numbers) -> torch.Tensor:
    last = [max([t for t, real in enumerate(row) if real], default=0) for row in n["real"]]
    return torch.stack([x[t] for x, t in zip(n["x"], last, strict=True)])


def _eos(n: Numbers) -> torch.Tensor:
    rows = n["ids"].tolist()
    places = [row.index(3) if 3 in row else 0 for row in rows]
    return torch.stack([x[t] for x, t in zip(n["x"], places, strict=True)])


def _angles(length: int, width: int, theta: float) -> torch.Tensor:
    rates = theta ** (-np.arange(0, width, 2) / width)
    return torch.tensor(np.outer(np.arange(length), rates))


def _rms(n: Numbers, offset: float) -> torch.Tensor:
    x = n["x"].double()
    return (x / (x.square().mean(-1, keepdim=True) + 1e-3).sqrt() * (offset + n["weight"])).float()


def _waves(length: int, halves: bool, shortened: bool) -> torch.Tensor:
    table = np.zeros((length, 8))
    for place in range(length):
        for pair in range(4):
            angle = place / 100.0 ** (pair / (3 if shortened else 4))
            at = (pair, pair + 4) if halves else (2 * pair, 2 * pair + 1)
            table[place, at[0]], table[place, at[1]] = np.sin(angle), np.cos(angle)
    return torch.tensor(table, dtype=torch.float32)


CASES: dict[str, Case] = {
    "gelu": _activation("gelu", F.gelu),
    "gelu_tanh": _activation("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
    "quick_gelu": _activation("quick_gelu", lambda x: x / (1 + (-1.702 * x).exp())),
    "relu": _activation("relu", lambda x: x.clamp(min=0)),
    "relu2": _activation("relu2", lambda x: x.clamp(min=0) ** 2),
    "silu": _activation("silu", F.silu),
    "tanh": _activation("tanh", torch.tanh),
    "sigmoid": _activation("sigmoid", torch.sigmoid),
    "add": Case(ops.Add(), {"x": shape(B, T, 6), "y": shape(B, T, 6)}, lambda n: n["x"] + n["y"]),
    "add_rows": Case(
        ops.AddRows(), {"x": shape(B, T, 6), "rows": shape(T, 6)}, lambda n: n["x"] + n["rows"]
    ),
    "multiply": Case(
        ops.Multiply(), {"x": shape(B, T, 6), "y": shape(B, T, 6)}, lambda n: n["x"] * n["y"]
    ),
    "scale": Case(ops.Scale(0.3), {"x": shape(B, T, 6)}, lambda n: 0.3 * n["x"]),
    "dropout": Case(ops.Dropout(0.5), {"x": shape(B, T, 6)}, lambda n: n["x"]),
    "concat": Case(
        ops.Concat(),
        {"x": shape(B, T, 6), "y": shape(B, T, 2)},
        lambda n: torch.cat((n["x"], n["y"]), dim=2),
    ),
    "split": Case(
        ops.Split((2, 3, 1)), {"x": shape(B, T, 6)}, lambda n: n["x"].split((2, 3, 1), dim=2)
    ),
    "linear": Case(
        ops.Linear(5),
        {"x": shape(B, T, 6)},
        lambda n: torch.einsum("btd,od->bto", n["x"], n["weight"]),
    ),
    "linear_bias": Case(
        ops.Linear(5, bias=True),
        {"x": shape(B, 6)},
        lambda n: torch.einsum("bd,od->bo", n["x"], n["weight"]) + n["bias"],
    ),
    "embedding": Case(
        ops.Embedding(11, 6), {"ids": shape(B, T)}, lambda n: n["weight"][n["ids"]], {"ids": 11}
    ),
    "shared_embedding": Case(
        ops.SharedEmbedding(),
        {"ids": shape(B, T), "weight": shape(11, 6)},
        lambda n: n["weight"][n["ids"]],
        {"ids": 11},
    ),
    "shared_linear": Case(
        ops.SharedLinear(),
        {"x": shape(B, T, 6), "weight": shape(11, 6)},
        lambda n: n["x"] @ n["weight"].T,
    ),
    "shared_linear_bias": Case(
        ops.SharedLinear(bias=True),
        {"x": shape(B, 6), "weight": shape(11, 6)},
        lambda n: n["x"] @ n["weight"].T + n["bias"],
    ),
    "types": Case(
        ops.TypeEmbedding(3, 6),
        {"ids": shape(B, T), "types": shape(B, T)},
        lambda n: n["weight"][n["types"]],
        {"ids": 9, "types": 3},
    ),
    "learned_positions": Case(
        ops.LearnedPositions(9, 6, offset=2),
        {"x": shape(B, T, 6)},
        lambda n: n["weight"][2 : 2 + n["x"].shape[1]],
    ),
    "all_positions": Case(
        ops.LearnedPositions(5, 6, whole=True), {"x": shape(B, 5, 6)}, lambda n: n["weight"]
    ),
    "sinusoid": Case(
        ops.Sinusoid(100.0), {"x": shape(B, T, 8)}, lambda n: _waves(n["x"].shape[1], False, False)
    ),
    "sinusoid_halves": Case(
        ops.Sinusoid(100.0, "halves", shortened=True),
        {"x": shape(B, T, 8)},
        lambda n: _waves(n["x"].shape[1], True, True),
    ),
    "sinusoid_fixed": Case(
        ops.Sinusoid(100.0), {"x": shape(B, 7, 8)}, lambda n: _waves(7, False, False)
    ),
    "layer_norm": Case(
        ops.LayerNorm(1e-3),
        {"x": shape(B, T, 6)},
        lambda n: F.layer_norm(n["x"].double(), (6,), eps=1e-3).float() * n["weight"] + n["bias"],
    ),
    "layer_norm_plain": Case(
        ops.LayerNorm(1e-3, weight=False, bias=False),
        {"x": shape(B, T, 6)},
        lambda n: F.layer_norm(n["x"].double(), (6,), eps=1e-3).float(),
    ),
    "rms_norm": Case(ops.RmsNorm(1e-3), {"x": shape(B, T, 6)}, lambda n: _rms(n, 0.0)),
    "rms_norm_offset": Case(
        ops.RmsNorm(1e-3, unit_offset=True), {"x": shape(B, T, 6)}, lambda n: _rms(n, 1.0)
    ),
    "rms_norm_plain": Case(
        ops.RmsNorm(1e-3, weight=False),
        {"x": shape(B, T, 6)},
        lambda n: _rms({**n, "weight": torch.ones(6)}, 0.0),
    ),
    "layer_scale": Case(ops.LayerScale(0.1), {"x": shape(B, T, 6)}, lambda n: n["x"] * n["weight"]),
    "conv": Case(
        ops.Conv2d(5, 2, 3, 4, 2, bias=True),
        {"x": shape(B, 3, 8, 6)},
        lambda n: F.conv2d(n["x"], n["weight"], n["bias"], stride=(2, 3)),
    ),
    "flatten": Case(
        ops.FlattenGrid(8), {"x": shape(B, 5, 4, 2)}, lambda n: n["x"].flatten(2).transpose(1, 2)
    ),
    "prepend": Case(
        ops.Prepend(2, 10),
        {"x": shape(B, 8, 6)},
        lambda n: torch.stack([torch.cat((n["weight"], x)) for x in n["x"]]),
    ),
    "split_heads": Case(
        ops.SplitHeads(3, 2),
        {"x": shape(B, T, 6)},
        lambda n: n["x"].reshape(*n["x"].shape[:2], 3, 2).transpose(1, 2),
    ),
    "merge_heads": Case(
        ops.MergeHeads(), {"x": shape(B, 3, T, 2)}, lambda n: n["x"].transpose(1, 2).flatten(2)
    ),
    "cache": Case(
        ops.CacheUpdate(T),
        {"k": shape(B, 2, T, 6), "v": shape(B, 2, T, 6)},
        lambda n: (n["k"], n["v"]),
    ),
    "key_mask": Case(
        ops.KeyMask(),
        {"real": shape(B, S), "x": shape(B, T, 6)},
        lambda n: n["real"][:, None, None].expand(-1, 1, n["x"].shape[1], -1),
    ),
    "causal_mask": Case(
        ops.CausalMask(T, padded=True),
        {"x": shape(B, T, 6), "real": shape(B, T)},
        lambda n: (
            torch.ones(n["x"].shape[1], n["x"].shape[1]).tril().bool() & n["real"][:, None, None]
        ),
    ),
    "attention": _attention(ops.ScaledDotProductAttention(grouped=True), _sdpa),
    "attention_scaled": _attention(
        ops.ScaledDotProductAttention(grouped=True, scale=0.7), lambda n: _sdpa(n, scale=0.7)
    ),
    "attention_causal": _attention(
        ops.ScaledDotProductAttention(causal=True, grouped=True), lambda n: _sdpa(n, _tril(n))
    ),
    "attention_seen": _attention(
        ops.ScaledDotProductAttention(grouped=True),
        lambda n: _sdpa(n, n["seen"]),
        seen=shape(B, 1, T, S),
    ),
    "attention_causal_seen": _attention(
        ops.ScaledDotProductAttention(causal=True, grouped=True),
        lambda n: _sdpa(n, n["seen"]),
        seen=shape(B, 1, T, T),
    ),
    "first": _pool(ops.IndexPool(0), lambda n: n["x"][:, 0]),
    "mean": _pool(ops.MeanPool(), lambda n: n["x"].sum(1) / n["x"].shape[1]),
    "masked_mean": _pool(ops.MaskedMeanPool(), lambda n: _masked_mean(n, 0), "real"),
    "masked_mean_skip": _pool(ops.MaskedMeanPool(1), lambda n: _masked_mean(n, 1), "real"),
    "last": _pool(ops.LastPool(), lambda n: n["x"][:, -1]),
    "last_real": _pool(ops.LastPool(), _last_real, "real"),
    "eos": _pool(ops.EosPool(3), _eos, "ids"),
    "eos_largest": _pool(
        ops.EosPool(), lambda n: n["x"][torch.arange(len(n["x"])), n["ids"].argmax(1)], "ids"
    ),
}


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
    from compiler.ir.graph import Node

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
        angle = _angles(sizes["T"], turned, 50.0).numpy()
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
