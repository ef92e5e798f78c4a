"""ALBERT (Lan et al. 2020): one layer used again and again, and a narrow table."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import layer_norm, mlp
from compiler.importers.config.encoder import Head, encoder, settings, sizes
from compiler.importers.config.written import Written
from compiler.importers.families.bert import logits
from compiler.importers.families.bert import norm as norms
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def albert(names: Names) -> dict[str, Any]:
    """Rename rules for ALBERT, whose layers are one; the task of sentence order is dropped."""
    embed, attn = names.embed, f"{names.stack}.{{i}}.{names.attention}"
    mlp = f"{names.stack}.{{i}}.{names.mlp}"
    layer = "encoder.albert_layer_groups.{i}.albert_layers.0"
    return {
        "embeddings.word_embeddings.weight": names.table,
        "embeddings.position_embeddings.weight": f"{embed}.positions.weight",
        "embeddings.token_type_embeddings.weight": f"{embed}.types.weight",
        **norms("embeddings.LayerNorm", f"{embed}.norm"),
        "embeddings.position_ids": "drop",
        "encoder.embedding_hidden_mapping_in.*": of(names.project),
        f"{layer}.attention.query.*": f"{attn}.q.*",
        f"{layer}.attention.key.*": f"{attn}.k.*",
        f"{layer}.attention.value.*": f"{attn}.v.*",
        f"{layer}.attention.dense.*": f"{attn}.o.*",
        **norms(f"{layer}.attention.LayerNorm", f"{attn}.post_norm"),
        f"{layer}.ffn.*": f"{mlp}.up.*",
        f"{layer}.ffn_output.*": f"{mlp}.down.*",
        **norms(f"{layer}.full_layer_layer_norm", f"{mlp}.post_norm"),
        "pooler.*": of(names.pooler),
        "predictions.dense.*": of(names.transform),
        **norms("predictions.LayerNorm", names.transform_norm),
        **logits("predictions", names.head),
        "sop_classifier.classifier.*": "drop",
    }


def spec(config: Config) -> Written:
    """A post-norm encoder of one layer, its table narrower than the model."""
    config.only("num_hidden_groups", 1, "all layers share one set of weights here")
    config.only("inner_group_num", 1, "a layer is one attention and one mlp here")
    config.only("position_embedding_type", "absolute", "relative positions are not imported")
    config.ignore("classifier_dropout_prob", "down_scale_factor", "gap_size", "net_structure_type")
    config.ignore("num_memory_blocks")
    norm = layer_norm(config)
    dims = sizes(config, length=config.whole("max_position_embeddings"))
    dims["d_embed"] = config.whole("embedding_size")
    decoder, pooler = "predictions.decoder.weight", "pooler.weight"
    head = Head(decoder, config.activation(), pooler=pooler, width="d_embed")
    attention = {"attention": {"heads": "n_heads", "mask": "full"}}
    return encoder(
        dims,
        embed={
            "dim": "d_embed",
            "types": config.whole("type_vocab_size"),
            "positions": {"learned": "max_len"},
            "norm": norm,
        },
        before={"wide": {"linear": {"dim": "d_model"}}},
        defaults=settings(config, norm, at="post", bias=True),
        layers=[{"attn": attention, "mlp": mlp(config)}] * config.whole("num_hidden_layers"),
        behind=head.nodes(config, norm),
        share=True,
    )


ALBERT = Family(
    albert,
    spec,
    {
        "albert": ModelType(
            "ALBERT (Lan et al. 2020): a post-norm encoder whose layers are one, behind a narrow "
            "table.",
            {
                "vocab_size": 30000,
                "embedding_size": 128,
                "hidden_size": 4096,
                "intermediate_size": 16384,
                "num_hidden_layers": 12,
                "num_attention_heads": 64,
                "max_position_embeddings": 512,
                "type_vocab_size": 2,
                "hidden_act": "gelu_new",
                "norm_eps": 1e-12,
                "hidden_dropout": 0.0,
                "attention_dropout": 0.0,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="albert",
    heads=("predictions", "sop_classifier"),
)
