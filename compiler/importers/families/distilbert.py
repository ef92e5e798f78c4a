"""DistilBERT (Sanh et al. 2019): BERT of half the depth, without segment types and pooler."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import mlp
from compiler.importers.config.encoder import Head, encoder, settings, sizes
from compiler.importers.config.written import Written
from compiler.importers.families.bert import norm
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

NORM: Written = {"layer": 1e-12}
"""The same in every DistilBERT; no config has it."""


def distilbert(names: Names) -> dict[str, Any]:
    """Rename rules for DistilBERT."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "transformer.layer.{i}"
    return {
        "embeddings.word_embeddings.weight": names.table,
        "embeddings.position_embeddings.weight": f"{names.embed}.positions.weight",
        **norm("embeddings.LayerNorm", f"{names.embed}.norm"),
        "embeddings.position_ids": "drop",
        f"{layer}.attention.q_lin.*": f"{attn}.q.*",
        f"{layer}.attention.k_lin.*": f"{attn}.k.*",
        f"{layer}.attention.v_lin.*": f"{attn}.v.*",
        f"{layer}.attention.out_lin.*": f"{attn}.o.*",
        f"{layer}.sa_layer_norm.*": f"{attn}.post_norm.*",
        f"{layer}.ffn.lin1.*": f"{mlp}.up.*",
        f"{layer}.ffn.lin2.*": f"{mlp}.down.*",
        f"{layer}.output_layer_norm.*": f"{mlp}.post_norm.*",
        "vocab_transform.*": of(names.transform),
        "vocab_layer_norm.*": of(names.transform_norm),
        "vocab_projector.*": of(names.head),
    }


def spec(config: Config) -> Written:
    """A post-norm encoder with learned positions."""
    config.ignore("sinusoidal_pos_embds", "qa_dropout", "seq_classif_dropout")
    config.only("tie_weights_", True, "the class ties its head")
    attention = {"attention": {"heads": "n_heads", "mask": "full"}}
    return encoder(
        sizes(config, length=config.whole("max_position_embeddings")),
        embed={"positions": {"learned": "max_len"}, "norm": NORM},
        defaults=settings(config, NORM, at="post", bias=True),
        layers=[{"attn": attention, "mlp": mlp(config)}] * config.whole("num_hidden_layers"),
        behind=Head("vocab_projector.weight", config.activation()).nodes(config, NORM),
    )


DISTILBERT = Family(
    distilbert,
    spec,
    {
        "distilbert": ModelType(
            "DistilBERT (Sanh et al. 2019): BERT of half the depth, without segment types.",
            {
                "vocab_size": 30522,
                "hidden_size": 768,
                "intermediate_size": 3072,
                "num_hidden_layers": 6,
                "num_attention_heads": 12,
                "max_position_embeddings": 512,
                "hidden_act": "gelu",
                "hidden_dropout": 0.1,
                "attention_dropout": 0.1,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="distilbert",
    heads=("vocab_transform", "vocab_layer_norm", "vocab_projector"),
)
