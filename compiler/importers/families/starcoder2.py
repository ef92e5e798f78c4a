"""StarCoder2 (Lozhkov et al. 2024): layer norms, a plain mlp, grouped queries and a window."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, layer_norm, mlp, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, replacing
from compiler.importers.families.llama import like_llama, llama
from compiler.importers.names import Names


def starcoder2(names: Names) -> dict[str, Any]:
    """Rename rules for StarCoder2: Llama's, the mlp by GPT-2's names but as we hold it."""
    mlp = f"{names.stack}.{{i}}.{names.mlp}"
    own = {"layers.{i}.mlp.c_fc.*": f"{mlp}.up.*", "layers.{i}.mlp.c_proj.*": f"{mlp}.down.*"}
    return replacing(own, llama(names))


def spec(config: Config) -> Written:
    """A pre-norm decoder, biases everywhere unless `use_bias` is off."""
    config.only("mlp_type", "default", "only the plain mlp is imported")
    config.only("norm_type", "layer_norm", "only layer norms are imported")
    dims, norm = sizes(config), layer_norm(config)
    window = config.optional("sliding_window")
    attention = said(**heads(dims), mask="causal", window=window, rope=rope(config))
    return like_llama(
        config, dims, norm, attention, mlp(config), bias=config.flag("use_bias", True)
    )


STARCODER2 = Family(
    starcoder2,
    spec,
    {
        "starcoder2": ModelType(
            "StarCoder2 (Lozhkov et al. 2024): a pre-norm decoder with layer norms, grouped "
            "queries, rotary positions and a sliding window.",
            {
                "vocab_size": 49152,
                "hidden_size": 3072,
                "intermediate_size": 12288,
                "num_hidden_layers": 30,
                "num_attention_heads": 24,
                "num_key_value_heads": 2,
                "max_position_embeddings": 4096,
                "hidden_act": "gelu_pytorch_tanh",
                "norm_eps": 1e-5,
                "initializer_range": 0.018042,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model",
)
