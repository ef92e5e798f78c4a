"""Phi 1 to 2 (Gunasekar et al. 2023; Li et al. 2023): both mixers behind one norm."""

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
from compiler.importers.families.family import Family, ModelType, of, replacing
from compiler.importers.families.llama import llama
from compiler.importers.names import Names


def phi(names: Names) -> dict[str, Any]:
    """Rename rules for Phi; the prefix `model.` is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "layers.{i}"
    own = {
        f"{layer}.input_layernorm.*": f"{names.stack}.{{i}}.{names.block}.norm.*",
        f"{layer}.self_attn.dense.*": f"{attn}.o.*",
        f"{layer}.mlp.fc1.*": f"{mlp}.up.*",
        f"{layer}.mlp.fc2.*": f"{mlp}.down.*",
        "final_layernorm.*": f"{names.final}.*",
        "lm_head.*": of(names.head),
    }
    return replacing(own, llama(names))


def spec(config: Config) -> Written:
    """One residual step a layer, rotary positions on a part of every head."""
    dims, norm = sizes(config), layer_norm(config)
    attention = {"attention": said(**heads(dims), mask="causal", rope=rope(config))}
    return decoder(
        config,
        dims,
        defaults=settings(config, norm, bias=True),
        layers=[parallel(attention, mlp(config))] * dims["n_layers"],
        final=norm,
        head=head(config, table="embed_tokens.weight", bias=True),
    )


PHI = Family(
    phi,
    spec,
    {
        "phi": ModelType(
            "Phi (Gunasekar et al. 2023; Li et al. 2023): attention and mlp side by side behind "
            "one norm, biases everywhere, rotary positions on a part of every head.",
            {
                "vocab_size": 51200,
                "hidden_size": 2048,
                "intermediate_size": 8192,
                "num_hidden_layers": 24,
                "num_attention_heads": 32,
                "max_position_embeddings": 2048,
                "partial_rotary_factor": 0.5,
                "hidden_act": "gelu_new",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
