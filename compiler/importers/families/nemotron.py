"""Nemotron-4 (Parmar et al. 2024): layer norms stored around zero and a squared relu."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import heads, mlp, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import like_llama, llama


def spec(config: Config) -> Written:
    """A pre-norm decoder whose norms multiply by one plus their gain."""
    dims = sizes(config)
    norm = {"layer": {"eps": config.number("norm_eps"), "unit_offset": True}}
    biases = config.flag("attention_bias") or None
    attention = said(**heads(dims), mask="causal", bias=biases, rope=rope(config))
    feed = mlp(config, bias=config.flag("mlp_bias") or None)
    return like_llama(config, dims, norm, attention, feed)


NEMOTRON = Family(
    llama,
    spec,
    {
        "nemotron": ModelType(
            "Nemotron-4 (Parmar et al. 2024): a pre-norm decoder with layer norms stored around "
            "zero, a squared relu and rotary positions on half of every head.",
            {
                "vocab_size": 256000,
                "hidden_size": 6144,
                "intermediate_size": 24576,
                "num_hidden_layers": 32,
                "num_attention_heads": 48,
                "max_position_embeddings": 4096,
                "partial_rotary_factor": 0.5,
                "hidden_act": "relu2",
                "norm_eps": 1e-5,
                "initializer_range": 0.0134,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
