"""OLMo (Groeneveld et al. 2024): layer norms without weights, clipped projections."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, mlp, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import like_llama, llama

NORM: Written = {"layer": {"eps": 1e-5, "affine": False}}
"""The norm of the code, which no config can change."""


def spec(config: Config) -> Written:
    """Llama's layers with norms that own nothing."""
    dims = sizes(config)
    attention = said(
        **heads(dims),
        mask="causal",
        bias=config.flag("attention_bias") or None,
        clip_qkv=config.get("clip_qkv"),
        rope=rope(config),
    )
    return like_llama(config, dims, NORM, attention, mlp(config, gated=True))


OLMO = Family(
    llama,
    spec,
    {
        "olmo": ModelType(
            "OLMo (Groeneveld et al. 2024): a Llama-like decoder whose layer norms have no weights "
            "and whose queries, keys and values may be clipped.",
            {
                "vocab_size": 50304,
                "hidden_size": 4096,
                "intermediate_size": 11008,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "max_position_embeddings": 2048,
                "hidden_act": "silu",
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
