"""Mixtral (Jiang et al. 2024): Llama with a mixture of experts in the place of every mlp."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, rms
from compiler.importers.config.mixture import mixture_sizes, moe
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import around_mlp, like_llama
from compiler.importers.names import Names


def mixtral(names: Names) -> dict[str, Any]:
    """Rename rules for Mixtral: Llama's, with experts in the place of the feed-forward network."""
    moe = f"{names.stack}.{{i}}.{names.moe}"
    layer = "layers.{i}.block_sparse_moe"
    return {
        **around_mlp(names),
        "layers.{i}.post_attention_layernorm.*": f"{moe}.norm.*",
        f"{layer}.gate.weight": f"{moe}.router.weight",
        f"{layer}.experts.{{j}}.w1.weight": f"{moe}.experts.{{j}}.gate.weight",
        f"{layer}.experts.{{j}}.w3.weight": f"{moe}.experts.{{j}}.up.weight",
        f"{layer}.experts.{{j}}.w2.weight": f"{moe}.experts.{{j}}.down.weight",
    }


def spec(config: Config) -> Written:
    """Llama's attention, perhaps with a window; shares of the chosen experts add up to one."""
    dims, norm = mixture_sizes(config), rms(config)
    count = dims["n_layers"]
    window = config.optional("sliding_window")
    attention = said(**heads(dims), mask="causal", window=window, rope=rope(config))
    mixture = moe(config, dims, router={"renorm": True}, sparse=[True] * count)
    return like_llama(config, dims, norm, attention, mixture)


MIXTRAL = Family(
    mixtral,
    spec,
    {
        "mixtral": ModelType(
            "Mixtral (Jiang et al. 2024): a Llama-like decoder in which a softmax router sends "
            "each token to a few gated experts and weighs them by shares that add up to one.",
            {
                "vocab_size": 32000,
                "hidden_size": 4096,
                "intermediate_size": 14336,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "num_key_value_heads": 8,
                "max_position_embeddings": 131072,
                "num_local_experts": 8,
                "num_experts_per_tok": 2,
                "router_aux_loss_coef": 0.001,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "rope_theta": 1000000.0,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
