"""Granite 3 (Granite team 2024): Llama with four fixed factors."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.text import number
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama


def spec(config: Config) -> Written:
    """Llama's layers; factors on the embedding, the scores, every branch and the logits."""
    dims, norm = sizes(config), rms(config)
    attention = said(
        **heads(dims),
        mask="causal",
        scale=config.number("attention_multiplier"),
        bias=config.flag("attention_bias") or None,
        rope=rope(config),
    )
    branch = said(branch_scale=_factor(config, "residual_multiplier"))
    feed = mlp(config, gated=True, bias=config.flag("mlp_bias") or None)
    logits, divided = head(config, table="embed_tokens.weight"), _factor(config, "logits_scaling")
    if logits is not None and divided is not None:
        logits["scale"] = f"1/{number(divided)}"
    return decoder(
        config,
        dims,
        embed=said(scale=_factor(config, "embedding_multiplier")),
        defaults=settings(config, norm),
        layers=[{"attn": {"attention": attention, **branch}, "mlp": {**feed, **branch}}]
        * dims["n_layers"],
        final=norm,
        head=logits,
    )


def _factor(config: Config, word: str) -> float | None:
    """A number that is not one."""
    factor = config.number(word)
    return None if factor == 1 else factor


GRANITE = Family(
    llama,
    spec,
    {
        "granite": ModelType(
            "Granite 3 (Granite team 2024): a Llama-like decoder with fixed factors on the "
            "embedding, the scores, every branch and the logits.",
            {
                "vocab_size": 32000,
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "max_position_embeddings": 2048,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "embedding_multiplier": 1.0,
                "attention_multiplier": 1.0,
                "residual_multiplier": 1.0,
                "logits_scaling": 1.0,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
