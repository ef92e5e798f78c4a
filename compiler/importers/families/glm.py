"""GLM-4 9B (GLM team 2024), as published for transformers: gate and up are one matrix."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, mlp, rms, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, replacing
from compiler.importers.families.llama import like_llama, llama
from compiler.importers.names import Names


def glm(names: Names) -> dict[str, Any]:
    """Rename rules for GLM: Llama's, with gate above up."""
    mlp = f"{names.stack}.{{i}}.{names.mlp}"
    fused = {"to": [f"{mlp}.gate.*", f"{mlp}.up.*"], "op": "split"}
    return replacing({"layers.{i}.mlp.gate_up_proj.*": fused}, llama(names))


def spec(config: Config) -> Written:
    """Llama's layers; half of every head turns, each coordinate with its neighbour."""
    dims, norm = sizes(config), rms(config)
    biases = "qkv" if config.flag("attention_bias", True) else None
    turning = rope(config, pairs="adjacent")
    attention = said(**heads(dims), mask="causal", bias=biases, rope=turning)
    return like_llama(config, dims, norm, attention, mlp(config, gated=True))


GLM = Family(
    glm,
    spec,
    {
        "glm": ModelType(
            "GLM-4 (GLM team 2024): a Llama-like decoder with biases on queries, keys and values "
            "and rotary positions on adjacent pairs of half of every head.",
            {
                "vocab_size": 151552,
                "hidden_size": 4096,
                "intermediate_size": 13696,
                "num_hidden_layers": 40,
                "num_attention_heads": 32,
                "num_key_value_heads": 2,
                "head_dim": 128,
                "max_position_embeddings": 131072,
                "partial_rotary_factor": 0.5,
                "hidden_act": "silu",
                "norm_eps": 1.5625e-7,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
