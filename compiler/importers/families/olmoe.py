"""OLMoE (Muennighoff et al. 2024): mixtures behind an attention with norms over its whole width."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, rms
from compiler.importers.config.mixture import mixture_sizes, moe
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import like_llama
from compiler.importers.families.qwen3_moe import qwen3_moe


def spec(config: Config) -> Written:
    """Queries and keys are normed before they are split into heads, then all three clipped."""
    dims, norm = mixture_sizes(config), rms(config)
    count = dims["n_layers"]
    attention = said(
        **heads(dims),
        mask="causal",
        bias=config.flag("attention_bias") or None,
        clip_qkv=config.get("clip_qkv"),
        qk_norm={**norm, "over": "all"},
        rope=rope(config),
    )
    router = said(renorm=config.flag("norm_topk_prob") or None)
    mixture = moe(config, dims, router=router, sparse=[True] * count)
    return like_llama(config, dims, norm, attention, mixture)


OLMOE = Family(
    qwen3_moe,
    spec,
    {
        "olmoe": ModelType(
            "OLMoE (Muennighoff et al. 2024): a Llama-like decoder with norms over the whole width "
            "of queries and keys, and small experts in every layer.",
            {
                "vocab_size": 50304,
                "hidden_size": 2048,
                "intermediate_size": 2048,
                "num_hidden_layers": 16,
                "num_attention_heads": 16,
                "max_position_embeddings": 4096,
                "num_local_experts": 64,
                "num_experts_per_tok": 8,
                "router_aux_loss_coef": 0.01,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
