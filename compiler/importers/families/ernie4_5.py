"""ERNIE 4.5 (Baidu 2025), the dense ones: Llama with rotary positions on adjacent pairs."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, mlp, rms, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import like_llama, llama


def spec(config: Config) -> Written:
    """Llama's layers, one switch for all biases."""
    dims, norm = sizes(config), rms(config)
    attention = said(**heads(dims), mask="causal", rope=rope(config, pairs="adjacent"))
    return like_llama(
        config, dims, norm, attention, mlp(config, gated=True), bias=config.flag("use_bias")
    )


ERNIE4_5 = Family(
    llama,
    spec,
    {
        "ernie4_5": ModelType(
            "ERNIE 4.5 (Baidu 2025): a Llama-like decoder with grouped queries, rotary positions "
            "on adjacent pairs and an output table tied to the embedding.",
            {
                "vocab_size": 103424,
                "hidden_size": 1024,
                "intermediate_size": 3072,
                "num_hidden_layers": 18,
                "num_attention_heads": 16,
                "num_key_value_heads": 2,
                "head_dim": 128,
                "max_position_embeddings": 131072,
                "rope_theta": 500000.0,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model",
)
