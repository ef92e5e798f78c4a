"""SmolLM3 (Hugging Face 2025): Llama in which nothing turns in every fourth layer."""

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings, sizes
from compiler.importers.config.layers import SLIDING, layer_types, turning, used_window
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama


def spec(config: Config) -> Written:
    """Llama's layers; those that do not turn have the window, where one is used."""
    dims, norm = sizes(config), rms(config)
    turns, angles = turning(config), rope(config)
    window, biases = used_window(config), config.flag("attention_bias") or None
    feed = mlp(config, gated=True, bias=config.flag("mlp_bias") or None)
    types = layer_types(config, lambda index: window is not None and not turns[index])

    def layer(index: int) -> Written:
        attention = said(
            **heads(dims),
            mask="causal",
            window=window if types[index] == SLIDING else None,
            bias=biases,
            rope=angles if turns[index] else None,
        )
        return {"attn": {"attention": attention}, "mlp": feed}

    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer(index) for index in range(dims["n_layers"])],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


SMOLLM3 = Family(
    llama,
    spec,
    {
        "smollm3": ModelType(
            "SmolLM3 (Hugging Face 2025): a Llama-like decoder with grouped queries, whose every "
            "fourth layer has no rotary positions.",
            {
                "vocab_size": 128256,
                "hidden_size": 2048,
                "intermediate_size": 11008,
                "num_hidden_layers": 36,
                "num_attention_heads": 16,
                "num_key_value_heads": 4,
                "max_position_embeddings": 32768,
                "rope_theta": 2000000.0,
                "no_rope_layer_interval": 4,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model",
)
