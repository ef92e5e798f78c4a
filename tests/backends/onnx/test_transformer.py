"""A tiny "Attention Is All You Need" in ONNX Runtime against torch's own encoder and decoder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.backends.onnx.built import Array, build, compiled, random_weights

WIDTH, HEADS, HIDDEN, VOCABULARY, LAYERS = 24, 4, 40, 61, 2
SIZES = ((1, 1, 1), (2, 7, 3), (3, 4, 11))
"""Batch size, source length and target length."""

SPEC: Mapping[str, Any] = {
    "name": "tiny-transformer",
    "inputs": {"src_ids": {"tokens": {"padded": True}}, "tgt_ids": "tokens"},
    "defaults": {"norm": {"layer": 1e-5}, "norm_at": "post", "bias": True, "dropout": 0.1},
    "graph": {
        "src": {
            "embed": {
                "vocab": VOCABULARY,
                "dim": WIDTH,
                "scale": WIDTH**0.5,
                "positions": {"sinusoid": {"max": 32, "layout": "interleaved"}},
            },
            "in": "src_ids",
        },
        "memory": {
            "stack": {
                "repeat": LAYERS,
                "layer": {
                    "self": {"attention": {"heads": HEADS, "mask": "full"}},
                    "mlp": {"mlp": {"hidden": HIDDEN, "act": "relu"}},
                },
            }
        },
        "tgt": {
            "embed": {
                "share": "src",
                "scale": WIDTH**0.5,
                "positions": {"sinusoid": {"max": 32, "layout": "interleaved"}},
            },
            "in": "tgt_ids",
        },
        "dec": {
            "stack": {
                "repeat": LAYERS,
                "layer": {
                    "self": {"attention": {"heads": HEADS, "mask": "causal"}},
                    "cross": {"attention": {"heads": HEADS, "source": "memory"}},
                    "mlp": {"mlp": {"hidden": HIDDEN, "act": "relu"}},
                },
            }
        },
        "logits": {"unembed": {"tie": "src"}},
    },
}


class Oracle(nn.Module):
    """The same model of torch's layers, its weights taken from ours."""

    def __init__(self, weights: Mapping[str, Array]) -> None:
        super().__init__()
        self.table = _tensor(weights["src.tokens.weight"])
        self.encoder = [_encoder_layer(weights, f"memory.{n}") for n in range(LAYERS)]
        self.decoder = [_decoder_layer(weights, f"dec.{n}") for n in range(LAYERS)]

    def forward(self, src_ids: Tensor, src_ids_mask: Tensor, tgt_ids: Tensor) -> Tensor:
        memory = self.embedded(src_ids)
        for layer in self.encoder:
            memory = layer(memory, src_key_padding_mask=~src_ids_mask)
        y = self.embedded(tgt_ids)
        later = torch.ones(y.shape[1], y.shape[1], dtype=torch.bool).triu(1)
        for block in self.decoder:
            y = block(y, memory, tgt_mask=later, memory_key_padding_mask=~src_ids_mask)
        return functional.linear(y, self.table)

    def embedded(self, ids: Tensor) -> Tensor:
        place = torch.arange(ids.shape[1], dtype=torch.float64)[:, None]
        angle = place / 10_000 ** (torch.arange(0, WIDTH, 2, dtype=torch.float64) / WIDTH)
        waves = torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(1)
        return torch.add(self.table[ids] * WIDTH**0.5, waves.float())


def test_logits_are_those_of_torch(tmp_path: Path) -> None:
    program = compiled(SPEC)
    weights = random_weights(program)
    built = build(program, weights, tmp_path)
    oracle = Oracle(weights).eval()
    rng = np.random.default_rng(0)
    for batch, source, target in SIZES:
        inputs = {
            "src_ids": rng.integers(0, VOCABULARY, (batch, source)),
            "src_ids_mask": _mask(batch, source),
            "tgt_ids": rng.integers(0, VOCABULARY, (batch, target)),
        }
        with torch.no_grad():
            expected = oracle(**{name: torch.tensor(array) for name, array in inputs.items()})
        found = built.run(**inputs)["logits"]
        scale = expected.abs().max().item()
        np.testing.assert_allclose(found / scale, expected.numpy() / scale, atol=1e-6)


def test_the_table_is_stored_once(tmp_path: Path) -> None:
    program = compiled(SPEC)
    build(program, random_weights(program), tmp_path)
    model = onnx.load(str(tmp_path / "model.onnx"), load_external_data=False)
    tables = [t.name for t in model.graph.initializer if set(t.dims) == {VOCABULARY, WIDTH}]
    assert tables == ["src.tokens.weight"]


@pytest.mark.parametrize("real", [0, 1])
def test_a_source_of_padding_alone_gives_numbers(real: int, tmp_path: Path) -> None:
    program = compiled(SPEC)
    built = build(program, random_weights(program), tmp_path)
    mask = np.zeros((2, 5), bool)
    mask[:, :real] = True
    ids = np.arange(10).reshape(2, 5)
    found = built.run(src_ids=ids, src_ids_mask=mask, tgt_ids=ids)["logits"]
    assert np.isfinite(found).all()


def _mask(batch: int, length: int) -> Array:
    """All real but the end of the last row."""
    mask = np.ones((batch, length), bool)
    mask[-1, max(1, length // 2) :] = False
    return mask


def _encoder_layer(weights: Mapping[str, Array], path: str) -> nn.TransformerEncoderLayer:
    layer = nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN, batch_first=True)
    _attention(layer.self_attn, weights, f"{path}.self")
    _feed_forward(layer, weights, f"{path}.mlp")
    for norm, name in ((layer.norm1, "self"), (layer.norm2, "mlp")):
        _copy(norm, weights, f"{path}.{name}.post_norm")
    return layer.eval()


def _decoder_layer(weights: Mapping[str, Array], path: str) -> nn.TransformerDecoderLayer:
    layer = nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, batch_first=True)
    _attention(layer.self_attn, weights, f"{path}.self")
    _attention(layer.multihead_attn, weights, f"{path}.cross")
    _feed_forward(layer, weights, f"{path}.mlp")
    for norm, name in ((layer.norm1, "self"), (layer.norm2, "cross"), (layer.norm3, "mlp")):
        _copy(norm, weights, f"{path}.{name}.post_norm")
    return layer.eval()


def _attention(module: nn.MultiheadAttention, weights: Mapping[str, Array], path: str) -> None:
    names = ["qkv"] if f"{path}.qkv.weight" in weights else ["q", "kv"]
    for kind in ("weight", "bias"):
        joined = np.concatenate([weights[f"{path}.{name}.{kind}"] for name in names])
        getattr(module, f"in_proj_{kind}").data = _tensor(joined)
    _copy(module.out_proj, weights, f"{path}.o")


def _feed_forward(
    layer: nn.TransformerEncoderLayer | nn.TransformerDecoderLayer,
    weights: Mapping[str, Array],
    path: str,
) -> None:
    _copy(layer.linear1, weights, f"{path}.up")
    _copy(layer.linear2, weights, f"{path}.down")


def _copy(module: nn.Module, weights: Mapping[str, Array], path: str) -> None:
    for kind in ("weight", "bias"):
        getattr(module, kind).data = _tensor(weights[f"{path}.{kind}"])


def _tensor(array: Array) -> Tensor:
    return torch.tensor(array)
