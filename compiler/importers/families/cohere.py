"""Command R (Cohere 2024): both mixers behind one norm without a bias, logits made smaller."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, parallel, settings, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama, query_key_norms
from compiler.importers.names import Names


def cohere(names: Names) -> dict[str, Any]:
    """Rename rules for Command R: Llama's, with one norm a layer and norms of each head."""
    return {
        **llama(names),
        "layers.{i}.input_layernorm.*": f"{names.stack}.{{i}}.{names.block}.norm.*",
        **query_key_norms(names),
    }


def spec(config: Config) -> Written:
    """One residual step a layer; each coordinate of a head turns with its neighbour."""
    config.ignore("model_max_length")
    dims = sizes(config)
    norm = {"layer": {"eps": config.number("norm_eps"), "bias": False}}
    attention = said(
        **heads(dims),
        mask="causal",
        bias=config.flag("attention_bias") or None,
        qk_norm={**norm, "over": "per_head"} if config.flag("use_qk_norm") else None,
        rope=rope(config, pairs="adjacent"),
    )
    logits = head(config, table="embed_tokens.weight")
    if logits is not None:
        logits["scale"] = config.number("logit_scale")
    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[parallel({"attention": attention}, mlp(config, gated=True))] * dims["n_layers"],
        final=norm,
        head=logits,
    )


COHERE = Family(
    cohere,
    spec,
    {
        "cohere": ModelType(
            "Command R (Cohere 2024): attention and a gated mlp side by side behind one layer norm "
            "without a bias, rotary positions on adjacent pairs, logits times a fixed factor.",
            {
                "vocab_size": 256000,
                "hidden_size": 8192,
                "intermediate_size": 22528,
                "num_hidden_layers": 40,
                "num_attention_heads": 64,
                "max_position_embeddings": 8192,
                "rope_theta": 500000.0,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "logit_scale": 0.0625,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model",
)
