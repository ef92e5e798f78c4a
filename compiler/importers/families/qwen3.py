"""Qwen3 (Yang et al. 2025): Qwen2 without its biases and with normed queries and keys."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import rms
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama, query_key_norms
from compiler.importers.families.qwen2 import windowed
from compiler.importers.names import Names


def qwen3(names: Names) -> dict[str, Any]:
    """Rename rules for Qwen3: Llama's and the norms of queries and keys."""
    return {**llama(names), **query_key_norms(names)}


def spec(config: Config) -> Written:
    """Qwen2's layers; a norm over each head, before it turns."""
    return windowed(config, bias=config.flag("attention_bias") or None, qk_norm=rms(config))


QWEN3 = Family(
    qwen3,
    spec,
    {
        "qwen3": ModelType(
            "Qwen3 (Yang et al. 2025): a Llama-like decoder with an RMS norm on the queries and "
            "keys of every head.",
            {
                "vocab_size": 151936,
                "hidden_size": 4096,
                "intermediate_size": 22016,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 32,
                "head_dim": 128,
                "max_position_embeddings": 32768,
                "sliding_window": 4096,
                "max_window_layers": 28,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
