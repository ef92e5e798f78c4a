"""Tiny models of published families in ONNX Runtime against transformers with the same weights."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    ViTConfig,
    ViTForImageClassification,
)

from compiler.importers.families.bert import bert
from compiler.importers.families.gpt2 import gpt2
from compiler.importers.families.llama import llama
from compiler.importers.families.vit import vit
from tests.backends.onnx.built import Array, Built, build, published

SIZES = ((1, 1), (2, 7), (5, 16))
"""Batch sizes and lengths that every built file is run with."""

GPT2: Mapping[str, Any] = {
    "name": "tiny-gpt2",
    "inputs": {"ids": {"tokens": {"max": 16, "padded": True}}},
    "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True},
    "graph": {
        "tok": {"embed": {"vocab": 61, "dim": 24, "positions": {"learned": 16}}, "in": "ids"},
        "h": {
            "stack": {
                "repeat": 3,
                "layer": {
                    "attn": {"attention": {"heads": 4, "mask": "causal"}},
                    "mlp": {"mlp": {"hidden": 96, "act": "gelu_tanh"}},
                },
            }
        },
        "final": {"norm": {"layer": 1e-5}},
        "logits": {"unembed": {"tie": "tok"}},
    },
}
LLAMA: Mapping[str, Any] = {
    "name": "tiny-llama",
    "inputs": {"ids": "tokens"},
    "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
    "graph": {
        "tok": {"embed": {"vocab": 61, "dim": 24}, "in": "ids"},
        "h": {
            "stack": {
                "repeat": 3,
                "layer": {
                    "attn": {
                        "attention": {
                            "heads": 6,
                            "kv_heads": 2,
                            "head_dim": 8,
                            "mask": "causal",
                            "rope": {"theta": 500.0},
                        }
                    },
                    "mlp": {"mlp": {"hidden": 40, "act": "silu", "gated": True}},
                },
            }
        },
        "final": {"norm": {"rms": 1e-5}},
        "logits": {"unembed": {"vocab": 61}},
    },
}
BERT: Mapping[str, Any] = {
    "name": "tiny-bert",
    "inputs": {"ids": {"tokens": {"max": 16, "padded": True}}},
    "defaults": {"norm": {"layer": 1e-12}, "norm_at": "post", "bias": True},
    "graph": {
        "tok": {
            "embed": {
                "vocab": 61,
                "dim": 24,
                "types": 2,
                "positions": {"learned": 16},
                "norm": {"layer": 1e-12},
            },
            "in": "ids",
        },
        "h": {
            "stack": {
                "repeat": 3,
                "layer": {
                    "attn": {"attention": {"heads": 4, "mask": "full"}},
                    "mlp": {"mlp": {"hidden": 96, "act": "gelu"}},
                },
            }
        },
        "mean": {"pool": "mean"},
        "first": {"pool": "first", "in": "h"},
        "pooler": {"linear": {"dim": 24, "act": "tanh"}},
    },
    "outputs": ["h", "mean", "pooler"],
}
VIT: Mapping[str, Any] = {
    "name": "tiny-vit",
    "inputs": {"pixels": {"image": [3, 12, 8]}},
    "defaults": {"norm": {"layer": 1e-6}, "norm_at": "pre", "bias": True},
    "graph": {
        "x": {
            "patches": {
                "size": 4,
                "image": [12, 8],
                "dim": 24,
                "prefix": ["cls"],
                "positions": "learned",
            },
            "in": "pixels",
        },
        "h": {
            "stack": {
                "repeat": 3,
                "layer": {
                    "attn": {"attention": {"heads": 4, "mask": "full"}},
                    "mlp": {"mlp": {"hidden": 96, "act": "gelu"}},
                },
            }
        },
        "final": {"norm": {"layer": 1e-6}},
        "cls": {"pool": "first"},
        "logits": {"linear": {"dim": 7}},
    },
}


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


def test_gpt2_with_padding(tmp_path: Path) -> None:
    config = GPT2Config(
        n_layer=3,
        n_embd=24,
        n_head=4,
        vocab_size=61,
        n_positions=16,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = GPT2LMHeadModel(config).eval()
    built = _built(GPT2, gpt2, model, tmp_path)
    for batch, length in SIZES:
        ids, real = _tokens(batch, length)
        expected = _numbers(model(input_ids=ids, attention_mask=real.long()).logits)
        found = built.run(ids=ids.numpy(), ids_mask=real.numpy())["logits"]
        assert found.shape == (batch, length, 61)
        np.testing.assert_allclose(found[real.numpy()], expected[real.numpy()], atol=1e-5)


def test_llama_with_grouped_queries(tmp_path: Path) -> None:
    config = LlamaConfig(
        num_hidden_layers=3,
        hidden_size=24,
        num_attention_heads=6,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=40,
        vocab_size=61,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
        tie_word_embeddings=False,
    )
    model = LlamaForCausalLM(config).eval()
    built = _built(LLAMA, llama, model, tmp_path)
    for batch, length in SIZES:
        ids, _ = _tokens(batch, length)
        expected = _numbers(model(input_ids=ids).logits)
        np.testing.assert_allclose(built.run(ids=ids.numpy())["logits"], expected, atol=1e-5)


def test_bert_with_padding_and_types(tmp_path: Path) -> None:
    config = BertConfig(
        num_hidden_layers=3,
        hidden_size=24,
        num_attention_heads=4,
        intermediate_size=96,
        vocab_size=61,
        max_position_embeddings=16,
    )
    model = BertModel(config).eval()
    built = _built(BERT, bert, model, tmp_path)
    for batch, length in SIZES:
        ids, real = _tokens(batch, length)
        types = torch.randint(2, ids.shape)
        expected = model(input_ids=ids, attention_mask=real.long(), token_type_ids=types)
        hidden = _numbers(expected.last_hidden_state)
        given = {"ids": ids.numpy(), "ids_mask": real.numpy()}
        found = built.run(**given, ids_types=types.numpy())
        np.testing.assert_allclose(found["h"], hidden, atol=1e-5)
        np.testing.assert_allclose(found["pooler"], _numbers(expected.pooler_output), atol=1e-5)
        pairs = zip(hidden, real.numpy(), strict=True)
        means = np.stack([row[mask].mean(0) for row, mask in pairs])
        np.testing.assert_allclose(found["mean"], means, atol=1e-5)
        of_type_0 = _numbers(model(input_ids=ids, attention_mask=real.long()).last_hidden_state)
        np.testing.assert_allclose(built.run(**given)["h"], of_type_0, atol=1e-5)


def test_vit_with_a_class_token(tmp_path: Path) -> None:
    config = ViTConfig(
        num_hidden_layers=3,
        hidden_size=24,
        num_attention_heads=4,
        intermediate_size=96,
        image_size=[12, 8],
        patch_size=4,
        layer_norm_eps=1e-6,
        num_labels=7,
    )
    model = ViTForImageClassification(config).eval()
    built = _built(VIT, vit, model, tmp_path)
    for batch, _ in SIZES:
        pixels = torch.randn(batch, 3, 12, 8)
        expected = _numbers(model(pixels).logits)
        np.testing.assert_allclose(built.run(pixels=pixels.numpy())["logits"], expected, atol=1e-5)


def _built(spec: Mapping[str, Any], family: Any, model: PreTrainedModel, folder: Path) -> Built:
    """Drawn biases are 0 and gains 1, which would hide a lost one: all weights are drawn anew."""
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 0.05, 0.3)
    model.save_pretrained(folder / "published")
    program, weights = published(spec, family, folder / "published")
    built = build(program, weights, folder)
    onnx.checker.check_model(str(folder / "model.onnx"), full_check=True)
    return built


def _tokens(batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens [B, T] and a mask in which the last row ends in padding where it has the room."""
    real = torch.ones(batch, length, dtype=torch.bool)
    real[-1, max(1, length // 2) :] = False
    return torch.randint(61, (batch, length)), real


def _numbers(tensor: torch.Tensor) -> Array:
    return tensor.detach().numpy()
