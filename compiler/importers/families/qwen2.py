"""Qwen2 (Yang et al. 2024): Llama with biases on queries, keys and values, which no config says."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings, sizes
from compiler.importers.config.layers import SLIDING, layer_types, used_window
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama


def spec(config: Config) -> Written:
    """Llama's layers with biases that no config says."""
    return windowed(config, bias="qkv")


def windowed(config: Config, **own: Any) -> Written:
    """Llama's layers with `own` words of attention; a window, where it is used, begins at layer
    `max_window_layers` or is where `layer_types` says."""
    dims, norm, feed = sizes(config), rms(config), mlp(config, gated=True)
    window, first = used_window(config), config.number("max_window_layers", 0)
    turning = rope(config)

    def layer(kind: str) -> Written:
        near = window if kind == SLIDING else None
        attention = said(**heads(dims), mask="causal", window=near, **own, rope=turning)
        return {"attn": {"attention": attention}, "mlp": feed}

    def slides(index: int) -> bool:
        return window is not None and index >= first

    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer(kind) for kind in layer_types(config, slides)],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


QWEN2 = Family(
    llama,
    spec,
    {
        "qwen2": ModelType(
            "Qwen2 (Yang et al. 2024): a Llama-like decoder with biases on queries, keys and "
            "values.",
            {
                "vocab_size": 151936,
                "hidden_size": 4096,
                "intermediate_size": 22016,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 32,
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
