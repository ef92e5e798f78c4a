"""Qwen3 (Yang et al. 2025): Qwen2 without its biases and with normed queries and keys."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings, sizes
from compiler.importers.config.layers import SLIDING, layer_types
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama
from compiler.importers.names import Names


def qwen3(names: Names) -> dict[str, Any]:
    """Rename rules for Qwen3: Llama's and the norms of queries and keys."""
    attn = f"{names.stack}.{{i}}.{names.attention}"
    return {
        **llama(names),
        "layers.{i}.self_attn.q_norm.*": f"{attn}.q_norm.*",
        "layers.{i}.self_attn.k_norm.*": f"{attn}.k_norm.*",
    }


def spec(config: Config) -> Written:
    """Llama's layers; a window, where it is used, begins at layer `max_window_layers`."""
    dims, norm, feed = sizes(config), rms(config), mlp(config, gated=True)
    window, biases = config.optional("sliding_window"), config.flag("attention_bias") or None
    used, first = config.flag("use_sliding_window"), config.number("max_window_layers", 0)
    turning = rope(config)

    def layer(kind: str) -> Written:
        near = window if kind == SLIDING else None
        attention = said(
            **heads(dims), mask="causal", window=near, bias=biases, qk_norm=norm, rope=turning
        )
        return {"attn": {"attention": attention}, "mlp": feed}

    def slides(index: int) -> bool:
        return used and window is not None and index >= first

    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer(kind) for kind in layer_types(config, slides)],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


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
