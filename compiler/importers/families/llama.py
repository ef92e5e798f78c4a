"""Llama and Mistral, as published for transformers, with rotary pairs already in halves."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def llama(names: Names) -> dict[str, Any]:
    """Rename rules for Llama and those named like it; the prefix `model.` is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "layers.{i}"
    return {
        "embed_tokens.weight": names.table,
        f"{layer}.input_layernorm.*": f"{attn}.norm.*",
        f"{layer}.self_attn.q_proj.*": f"{attn}.q.*",
        f"{layer}.self_attn.k_proj.*": f"{attn}.k.*",
        f"{layer}.self_attn.v_proj.*": f"{attn}.v.*",
        f"{layer}.self_attn.o_proj.*": f"{attn}.o.*",
        f"{layer}.post_attention_layernorm.*": f"{mlp}.norm.*",
        f"{layer}.mlp.gate_proj.*": f"{mlp}.gate.*",
        f"{layer}.mlp.up_proj.*": f"{mlp}.up.*",
        f"{layer}.mlp.down_proj.*": f"{mlp}.down.*",
        "norm.*": f"{names.final}.*",
        "lm_head.weight": of(names.head, "weight"),
        "*.rotary_emb.inv_freq": "drop",
    }


def query_key_norms(names: Names) -> dict[str, Any]:
    """Rules for the norms of queries and keys that Llama's followers have."""
    attn = f"{names.stack}.{{i}}.{names.attention}"
    return {f"layers.{{i}}.self_attn.{n}_norm.*": f"{attn}.{n}_norm.*" for n in "qk"}


def around_mlp(names: Names) -> dict[str, Any]:
    """Llama's rules but for the maps of its mlp, in whose place other mixers stand."""
    return {theirs: ours for theirs, ours in llama(names).items() if ".mlp." not in theirs}


def like_llama(
    config: Config,
    dims: Written,
    norm: Written,
    attention: Written,
    mixer: Written,
    *,
    at: str = "pre",
    bias: bool = False,
) -> Written:
    """A decoder of equal layers, attention and then another mixer, in files with Llama's names."""
    return decoder(
        config,
        dims,
        defaults=settings(config, norm, at=at, bias=bias),
        layers=[{"attn": {"attention": attention}, "mlp": mixer}] * dims["n_layers"],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


def spec(config: Config) -> Written:
    """A pre-norm decoder with RMS norm, rotary positions and a gated mlp."""
    dims, norm = sizes(config), rms(config)
    attention = said(
        **heads(dims),
        mask="causal",
        window=config.optional("sliding_window"),
        bias=config.flag("attention_bias") or None,
        rope=rope(config),
    )
    feed = mlp(config, gated=True, bias=config.flag("mlp_bias") or None)
    return like_llama(config, dims, norm, attention, feed)


LLAMA = Family(
    llama,
    spec,
    {
        "llama": ModelType(
            "Llama (Touvron et al. 2023): a pre-norm decoder with RMS norm, rotary positions and a "
            "gated mlp.",
            {
                "vocab_size": 32000,
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "max_position_embeddings": 2048,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        ),
        "mistral": ModelType(
            "Mistral (Jiang et al. 2023): a Llama-like decoder with grouped queries and a sliding "
            "window.",
            {
                "vocab_size": 32000,
                "hidden_size": 4096,
                "intermediate_size": 14336,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "max_position_embeddings": 131072,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "sliding_window": 4096,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        ),
    },
    prefix="model",
)
