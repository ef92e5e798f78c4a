"""GPT-J (Wang & Komatsuzaki 2021): attention and mlp side by side behind one norm."""

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


def gptj(names: Names) -> dict[str, Any]:
    """Rename rules for GPT-J; the prefix `transformer.` is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    return {
        "wte.weight": names.table,
        "h.{i}.ln_1.*": f"{names.stack}.{{i}}.{names.block}.norm.*",
        "h.{i}.attn.bias": "drop",
        "h.{i}.attn.masked_bias": "drop",
        "h.{i}.attn.q_proj.*": f"{attn}.q.*",
        "h.{i}.attn.k_proj.*": f"{attn}.k.*",
        "h.{i}.attn.v_proj.*": f"{attn}.v.*",
        "h.{i}.attn.out_proj.*": f"{attn}.o.*",
        "h.{i}.mlp.fc_in.*": f"{mlp}.up.*",
        "h.{i}.mlp.fc_out.*": f"{mlp}.down.*",
        "ln_f.*": f"{names.final}.*",
        "lm_head.*": of(names.head),
    }


def spec(config: Config) -> Written:
    """One residual step a layer; a number of coordinates turn, each with its neighbour."""
    for word in ("rotary", "scale_attn_weights"):
        config.only(word, True, "only rotary positions and scaled scores are imported")
    dims, norm = sizes(config), layer_norm(config)
    turning = rope(config, pairs="adjacent", dim=config.optional("rotary_dim"))
    attention = {"attention": said(**heads(dims), mask="causal", rope=turning)}
    layer = parallel(attention, mlp(config, bias=True))
    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer] * dims["n_layers"],
        final=norm,
        head=head(config, table="wte.weight", bias=True),
    )


DEFAULTS = {
    "vocab_size": 50400,
    "hidden_size": 4096,
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "max_position_embeddings": 2048,
    "rotary_dim": 64,
    "hidden_act": "gelu_new",
    "norm_eps": 1e-5,
    "initializer_range": 0.02,
    "tie_word_embeddings": False,
}

GPTJ = Family(
    gptj,
    spec,
    {
        "gptj": ModelType(
            "GPT-J (Wang & Komatsuzaki 2021): attention and mlp side by side behind one norm, and "
            "rotary positions on adjacent pairs of 64 coordinates.",
            DEFAULTS,
        )
    },
    prefix="transformer",
)
