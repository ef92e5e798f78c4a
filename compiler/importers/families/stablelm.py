"""StableLM 2 (Bellagente et al. 2024): Llama with layer norms and a part of every head turned."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import (
    decoder,
    head,
    heads,
    layer_norm,
    mlp,
    parallel,
    settings,
    sizes,
)
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama
from compiler.importers.names import Names


def stablelm(names: Names) -> dict[str, Any]:
    """Rename rules for StableLM: Llama's, with a norm for every head in a tensor of its own."""
    attn = f"{names.stack}.{{i}}.{names.attention}"
    first = f"{names.stack}.{{i}}.{names.block or names.attention}"
    each = {
        f"layers.{{i}}.self_attn.{n}_layernorm.norms.{{j}}.weight": {
            "to": f"{attn}.{n}_norm.weight",
            "op": "stack",
        }
        for n in "qk"
    }
    return {**llama(names), "layers.{i}.input_layernorm.*": f"{first}.norm.*", **each}


def spec(config: Config) -> Written:
    """Two residual steps a layer, or one around both mixers."""
    dims, norm, feed = sizes(config), layer_norm(config), mlp(config, gated=True)
    apart = {"layer": {"eps": config.number("norm_eps"), "bias": False}, "over": "per_head"}
    attention: Written = {
        "attention": said(
            **heads(dims),
            mask="causal",
            bias="qkv" if config.flag("use_qkv_bias") else None,
            qk_norm=apart if config.flag("qk_layernorm") else None,
            rope=rope(config),
        )
    }
    together = config.flag("use_parallel_residual")
    layer = parallel(attention, feed) if together else {"attn": attention, "mlp": feed}
    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer] * dims["n_layers"],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


STABLELM = Family(
    stablelm,
    spec,
    {
        "stablelm": ModelType(
            "StableLM 2 (Bellagente et al. 2024): a Llama-like decoder with layer norms and rotary "
            "positions on a quarter of every head.",
            {
                "vocab_size": 50304,
                "hidden_size": 2560,
                "intermediate_size": 6912,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 32,
                "max_position_embeddings": 4096,
                "partial_rotary_factor": 0.25,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
