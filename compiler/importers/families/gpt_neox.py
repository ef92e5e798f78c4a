"""GPT-NeoX (Black et al. 2022) and Pythia: attention and mlp side by side, each with its norm."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import (
    decoder,
    head,
    heads,
    layer_norm,
    mlp,
    parallel,
    settings,
    sizes,
)
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def gpt_neox(names: Names) -> dict[str, Any]:
    """Rename rules for GPT-NeoX, whose q, k and v lie together head by head.

    The prefix `gpt_neox.` is left out.
    """
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "layers.{i}"
    return {
        "embed_in.weight": names.table,
        f"{layer}.input_layernorm.*": f"{attn}.norm.*",
        f"{layer}.post_attention_layernorm.*": f"{mlp}.norm.*",
        f"{layer}.attention.bias": "drop",
        f"{layer}.attention.masked_bias": "drop",
        f"{layer}.attention.query_key_value.*": {
            "to": [f"{attn}.q.*", f"{attn}.k.*", f"{attn}.v.*"],
            "op": "regroup(H 3 K)",
        },
        f"{layer}.attention.dense.*": f"{attn}.o.*",
        f"{layer}.mlp.dense_h_to_4h.*": f"{mlp}.up.*",
        f"{layer}.mlp.dense_4h_to_h.*": f"{mlp}.down.*",
        "final_layer_norm.*": f"{names.final}.*",
        "embed_out.weight": of(names.head, "weight"),
        "*.rotary_emb.inv_freq": "drop",
    }


def spec(config: Config) -> Written:
    """Layers of one step with two norms, or of two steps without `use_parallel_residual`."""
    dims, norm, feed = sizes(config), layer_norm(config), mlp(config)
    biases = None if config.flag("attention_bias", True) else False
    attention = {"attention": said(**heads(dims), mask="causal", bias=biases, rope=rope(config))}
    together = config.flag("use_parallel_residual", True)
    layer = parallel(attention, feed, norm) if together else {"attn": attention, "mlp": feed}
    return decoder(
        config,
        dims,
        defaults=settings(config, norm, bias=True, embed="hidden_dropout"),
        layers=[layer] * dims["n_layers"],
        final=norm,
        head=head(config, table="embed_in.weight", name="embed_out.weight"),
    )


GPT_NEOX = Family(
    gpt_neox,
    spec,
    {
        "gpt_neox": ModelType(
            "GPT-NeoX (Black et al. 2022), as in Pythia: attention and mlp side by side in one "
            "step, each with its own norm, and rotary positions on a quarter of every head.",
            {
                "vocab_size": 50432,
                "hidden_size": 6144,
                "intermediate_size": 24576,
                "num_hidden_layers": 44,
                "num_attention_heads": 64,
                "max_position_embeddings": 2048,
                "partial_rotary_factor": 0.25,
                "hidden_act": "gelu",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="gpt_neox",
    heads=("embed_out",),
)
