"""Helium 1 (Kyutai 2025): Llama with a tiny epsilon and rotary positions on adjacent pairs."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, mlp, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import like_llama, llama


def spec(config: Config) -> Written:
    """Llama's layers; norms multiply in float32, and the output projection never has a bias."""
    dims, norm = sizes(config), {"rms": config.number("norm_eps")}
    biases = "qkv" if config.flag("attention_bias") else None
    turning = rope(config, pairs="adjacent")
    attention = said(**heads(dims), mask="causal", bias=biases, rope=turning)
    feed = mlp(config, gated=True, bias=config.flag("mlp_bias") or None)
    return like_llama(config, dims, norm, attention, feed)


HELIUM = Family(
    llama,
    spec,
    {
        "helium": ModelType(
            "Helium 1 (Kyutai 2025): a Llama-like decoder with rotary positions on adjacent pairs.",
            {
                "vocab_size": 48000,
                "hidden_size": 2560,
                "intermediate_size": 7040,
                "num_hidden_layers": 24,
                "num_attention_heads": 20,
                "num_key_value_heads": 20,
                "head_dim": 128,
                "max_position_embeddings": 4096,
                "rope_theta": 100000.0,
                "hidden_act": "silu",
                "norm_eps": 1e-8,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
