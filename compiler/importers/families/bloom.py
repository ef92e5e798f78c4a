"""BLOOM (Workshop et al. 2022): distances count against keys, and embeddings are normed."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, layer_norm, settings, sizes
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

FUSIONS = (
    "slow_but_exact",
    "offset_alibi",
    "masked_softmax_fusion",
    "bias_dropout_fusion",
    "skip_bias_add",
    "skip_bias_add_qkv",
)
"""Words about how its training program fused operations, and a length it was given."""


def bloom(names: Names) -> dict[str, Any]:
    """Rename rules for BLOOM, whose q, k and v lie together head by head.

    The prefix `transformer.` is left out.
    """
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "h.{i}"
    return {
        "word_embeddings.weight": names.table,
        "word_embeddings_layernorm.*": f"{names.embed}.norm.*",
        f"{layer}.input_layernorm.*": f"{attn}.norm.*",
        f"{layer}.post_attention_layernorm.*": f"{mlp}.norm.*",
        f"{layer}.self_attention.query_key_value.*": {
            "to": [f"{attn}.q.*", f"{attn}.k.*", f"{attn}.v.*"],
            "op": "regroup(H 3 K)",
        },
        f"{layer}.self_attention.dense.*": f"{attn}.o.*",
        f"{layer}.mlp.dense_h_to_4h.*": f"{mlp}.up.*",
        f"{layer}.mlp.dense_4h_to_h.*": f"{mlp}.down.*",
        "ln_f.*": f"{names.final}.*",
        "lm_head.weight": of(names.head, "weight"),
    }


def spec(config: Config) -> Written:
    """A decoder with biases everywhere and no positions but those in the scores."""
    config.only(
        "apply_residual_connection_post_layernorm",
        False,
        "a residual step here adds to what came in, not to its norm",
    )
    config.ignore(*FUSIONS)
    dims, norm = sizes(config), layer_norm(config)
    attention = said(**heads(dims), mask="causal", position_bias={"alibi": {}})
    mlp = {"mlp": {"hidden": "d_ff", "act": "gelu_tanh"}}
    return decoder(
        config,
        dims,
        embed={"norm": norm},
        defaults=settings(config, norm, bias=True),
        layers=[{"attn": {"attention": attention}, "mlp": mlp}] * dims["n_layers"],
        final=norm,
        head=head(config, table="word_embeddings.weight"),
    )


BLOOM = Family(
    bloom,
    spec,
    {
        "bloom": ModelType(
            "BLOOM (Workshop et al. 2022): a decoder whose scores fall with the distance of a key "
            "(ALiBi), with a norm behind the embedding and biases everywhere.",
            {
                "vocab_size": 250880,
                "hidden_size": 64,
                "num_hidden_layers": 2,
                "num_attention_heads": 8,
                "max_position_embeddings": 2048,
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="transformer",
)
