"""OLMo 2 (OLMo team 2024): norms on what mixers give, and on whole queries and keys."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, mlp, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import like_llama, llama, query_key_norms
from compiler.importers.names import Names


def olmo2(names: Names) -> dict[str, Any]:
    """Rename rules for OLMo 2: Llama's, with both norms behind their mixers."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "layers.{i}"
    return {
        **llama(names),
        f"{layer}.post_attention_layernorm.*": f"{attn}.out_norm.*",
        f"{layer}.post_feedforward_layernorm.*": f"{mlp}.out_norm.*",
        **query_key_norms(names),
    }


def spec(config: Config) -> Written:
    """Mixers read the main path as it is; their results are normed before they are added."""
    dims, norm = sizes(config), {"rms": config.number("norm_eps")}
    attention = said(
        **heads(dims),
        mask="causal",
        bias=config.flag("attention_bias") or None,
        qk_norm={**norm, "over": "all"},
        rope=rope(config),
    )
    return like_llama(config, dims, norm, attention, mlp(config, gated=True), at="out")


OLMO2 = Family(
    olmo2,
    spec,
    {
        "olmo2": ModelType(
            "OLMo 2 (OLMo team 2024): a decoder with norms on what its mixers give and on the "
            "whole width of queries and keys.",
            {
                "vocab_size": 50304,
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "max_position_embeddings": 2048,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
