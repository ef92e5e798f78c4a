"""Gemma 2 (Gemma team 2024): norms around both ends of a branch, soft caps, every other layer
local."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, settings, sizes
from compiler.importers.config.layers import SLIDING, layer_types
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.gemma import EMBED, ONE_WAY, feed, rms
from compiler.importers.families.llama import llama
from compiler.importers.names import Names

GEMMA2_SIZES: Written = {
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "hidden_act": "gelu_pytorch_tanh",
    "norm_eps": 1e-6,
    "initializer_range": 0.02,
    "tie_word_embeddings": True,
    "query_pre_attn_scalar": 256,
    "sliding_window": 4096,
}
"""Class defaults of Gemma 2 that Gemma 3 has too."""


def gemma2(names: Names) -> dict[str, Any]:
    """Rename rules for Gemma 2: a layer has four norms, and `post_attention_layernorm` is none of
    the mlp."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "layers.{i}"
    return {
        **llama(names),
        f"{layer}.post_attention_layernorm.*": f"{attn}.out_norm.*",
        f"{layer}.pre_feedforward_layernorm.*": f"{mlp}.norm.*",
        f"{layer}.post_feedforward_layernorm.*": f"{mlp}.out_norm.*",
    }


def scale(config: Config) -> str | None:
    """The factor on the scores where it is not that of the head's width."""
    usual = config.whole("query_pre_attn_scalar")
    return None if usual == config.whole("head_dim") else f"{usual}**-0.5"


def capped_head(config: Config) -> Written | None:
    """The language model's head with its soft cap."""
    made = head(config, table="embed_tokens.weight")
    return made if made is None else said(**made, softcap=config.get("final_logit_softcapping"))


def spec(config: Config) -> Written:
    """Gemma's layers with norms on both ends, by turns local and global."""
    config.only("use_bidirectional_attention", False, ONE_WAY)
    dims, norm, mlp, turning = sizes(config), rms(config), feed(config), rope(config)
    window, factor = config.optional("sliding_window"), scale(config)
    cap, biases = config.get("attn_logit_softcapping"), config.flag("attention_bias") or None

    def layer(kind: str) -> Written:
        near = window if kind == SLIDING else None
        attention = said(
            **heads(dims),
            mask="causal",
            window=near,
            scale=factor,
            bias=biases,
            softcap=cap,
            rope=turning,
        )
        return {"attn": {"attention": attention}, "mlp": mlp}

    return decoder(
        config,
        dims,
        embed=EMBED,
        defaults={**settings(config, norm), "norm_at": ["pre", "out"]},
        layers=[layer(kind) for kind in layer_types(config, lambda index: index % 2 == 0)],
        final=norm,
        head=capped_head(config),
    )


GEMMA2 = Family(
    gemma2,
    spec,
    {
        "gemma2": ModelType(
            "Gemma 2 (Gemma team 2024): Gemma with norms before and behind every mixer, caps on "
            "scores and logits, and a window in every other layer.",
            {
                **GEMMA2_SIZES,
                "vocab_size": 256000,
                "max_position_embeddings": 8192,
                "final_logit_softcapping": 30.0,
                "attn_logit_softcapping": 50.0,
            },
        )
    },
    prefix="model",
)
