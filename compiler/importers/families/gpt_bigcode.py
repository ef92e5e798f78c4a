"""GPT-BigCode (Ben Allal et al. 2023): GPT-2 with one key and value head for all queries."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, layer_norm, mlp, settings, sizes
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.gpt2 import deep, gpt2
from compiler.importers.names import Names


def gpt_bigcode(names: Names) -> dict[str, Any]:
    """Rename rules for GPT-BigCode: GPT-2's names, matrices as we have them.

    q, k and v are one; where every head has its own keys they lie together head by head.
    """
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    return {
        **gpt2(names),
        "h.{i}.attn.c_attn.*": {
            "to": [f"{attn}.q.*", f"{attn}.k.*", f"{attn}.v.*"],
            "op": "regroup(G (H/G+2) K)",
        },
        "h.{i}.attn.c_proj.*": f"{attn}.o.*",
        "h.{i}.mlp.c_fc.*": f"{mlp}.up.*",
        "h.{i}.mlp.c_proj.*": f"{mlp}.down.*",
    }


def spec(config: Config) -> Written:
    """GPT-2 whose queries share keys and values, unless `multi_query` is off."""
    kv_heads = 1 if config.flag("multi_query", True) else config.whole("num_attention_heads")
    dims = sizes(config, kv_heads=kv_heads, learned=True)
    config.ignore("num_key_value_heads")
    norm = layer_norm(config)
    plain = not config.flag("scale_attn_weights", True)
    attention = said(**heads(dims), mask="causal", scale=1.0 if plain else None)
    return decoder(
        config,
        dims,
        embed={"positions": {"learned": "max_len"}},
        defaults=deep(settings(config, norm, bias=True)),
        layers=[{"attn": {"attention": attention}, "mlp": mlp(config)}] * dims["n_layers"],
        final=norm,
        head=head(config, table="wte.weight"),
    )


GPT_BIGCODE = Family(
    gpt_bigcode,
    spec,
    {
        "gpt_bigcode": ModelType(
            "GPT-BigCode (Ben Allal et al. 2023), as in SantaCoder and StarCoder: GPT-2 with one "
            "key and value head for all queries.",
            {
                "vocab_size": 50257,
                "hidden_size": 768,
                "num_hidden_layers": 12,
                "num_attention_heads": 12,
                "max_position_embeddings": 1024,
                "hidden_act": "gelu_pytorch_tanh",
                "norm_eps": 1e-5,
                "hidden_dropout": 0.1,
                "attention_dropout": 0.1,
                "embedding_dropout": 0.1,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="transformer",
)
