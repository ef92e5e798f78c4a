"""Gemma (Gemma team 2024): norms stored around zero, wide heads, a scaled embedding."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, settings, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama

EMBED: Written = {"scale": "sqrt(d_model)", "round_scale": True}
"""What all Gemmas do to the rows of their table; a factor of their table's own type."""

ONE_WAY = "attention in both directions is not imported"


def rms(config: Config) -> Written:
    """The norm of all Gemmas: the gain is one plus what is stored."""
    return {"rms": {"eps": config.number("norm_eps"), "unit_offset": True}}


def feed(config: Config) -> Written:
    """Their gated mlp, in which `gelu` means the form with tanh."""
    act = config.activation(means={"gelu": "gelu_tanh"})
    config.ignore("hidden_act")
    return {"mlp": {"hidden": "d_ff", "act": act, "gated": True}}


def spec(config: Config) -> Written:
    """Llama's layers with Gemma's norms."""
    config.only("use_bidirectional_attention", False, ONE_WAY)
    dims, norm = sizes(config), rms(config)
    biases = config.flag("attention_bias") or None
    attention = said(**heads(dims), mask="causal", bias=biases, rope=rope(config))
    return decoder(
        config,
        dims,
        embed=EMBED,
        defaults=settings(config, norm),
        layers=[{"attn": {"attention": attention}, "mlp": feed(config)}] * dims["n_layers"],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


GEMMA = Family(
    llama,
    spec,
    {
        "gemma": ModelType(
            "Gemma (Gemma team 2024): a Llama-like decoder with norms stored around zero, wide "
            "heads and an embedding multiplied by the root of its width.",
            {
                "vocab_size": 256000,
                "hidden_size": 3072,
                "intermediate_size": 24576,
                "num_hidden_layers": 28,
                "num_attention_heads": 16,
                "num_key_value_heads": 16,
                "head_dim": 256,
                "max_position_embeddings": 8192,
                "hidden_act": "gelu_pytorch_tanh",
                "norm_eps": 1e-6,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model",
)
