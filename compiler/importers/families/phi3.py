"""Phi-3 and Phi-4 (Abdin et al. 2024): Llama's layers, queries, keys and values in one matrix."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, mlp, rms, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, replacing
from compiler.importers.families.llama import like_llama, llama
from compiler.importers.names import Names


def phi3(names: Names) -> dict[str, Any]:
    """Rename rules for Phi-3: Llama's, with q above k above v, and gate above up."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    joined = {
        "layers.{i}.self_attn.qkv_proj.*": {
            "to": [f"{attn}.{part}.*" for part in "qkv"],
            "op": "split",
        },
        "layers.{i}.mlp.gate_up_proj.*": {"to": [f"{mlp}.gate.*", f"{mlp}.up.*"], "op": "split"},
    }
    return replacing(joined, llama(names))


def spec(config: Config) -> Written:
    """Llama's layers without a bias; longer contexts turn by two lists of factors."""
    dims, norm = sizes(config), rms(config)
    window = config.optional("sliding_window")
    attention = said(**heads(dims), mask="causal", window=window, rope=rope(config))
    return like_llama(config, dims, norm, attention, mlp(config, gated=True))


PHI3 = Family(
    phi3,
    spec,
    {
        "phi3": ModelType(
            "Phi-3 (Abdin et al. 2024): a Llama-like decoder, for long contexts with rotary "
            "positions by two lists of factors (Ding et al. 2024).",
            {
                "vocab_size": 32064,
                "hidden_size": 3072,
                "intermediate_size": 8192,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "max_position_embeddings": 4096,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "partial_rotary_factor": 1.0,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
