"""ESM (Rives et al. 2021; Lin et al. 2023): encoders of proteins, a letter an amino acid."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import layer_norm
from compiler.importers.config.encoder import Head, bidirectional, encoder, settings, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.bert import POOLER, maps
from compiler.importers.families.bert import norm as norms
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

SEEN = 0.88
"""The share of tokens that pre-training did not mask; without masks the table is scaled by it."""


def esm(names: Names) -> dict[str, Any]:
    """Rename rules for ESM; the regression of contacts is dropped."""
    embed, attn = names.embed, f"{names.stack}.{{i}}.{names.attention}"
    mlp = f"{names.stack}.{{i}}.{names.mlp}"
    layer = "encoder.layer.{i}"
    return {
        "embeddings.word_embeddings.weight": names.table,
        "embeddings.position_embeddings.weight": f"{embed}.positions.weight",
        "embeddings.layer_norm.*": f"{embed}.norm.*",
        "embeddings.position_ids": "drop",
        **norms(f"{layer}.attention.LayerNorm", f"{attn}.norm"),
        **maps(layer, attn, mlp),
        **norms(f"{layer}.LayerNorm", f"{mlp}.norm"),
        "encoder.emb_layer_norm_after.*": of(names.final),
        "pooler.dense.*": of(names.pooler),
        "lm_head.dense.*": of(names.transform),
        "lm_head.layer_norm.*": of(names.transform_norm),
        "lm_head.decoder.weight": of(names.head, "weight"),
        "lm_head.bias": of(names.head, "bias"),
        "contact_head.regression.*": "drop",
        "*.rotary_embeddings.inv_freq": "drop",
    }


def spec(config: Config) -> Written:
    """A pre-norm encoder with rotary or learned positions, padding zeroed behind the table."""
    bidirectional(config)
    config.only("is_folding_model", False, "only language models are imported")
    config.ignore("mask_token_id", "vocab_list", "esmfold_config")
    norm = layer_norm(config)
    place = config.choice("position_embedding_type", {"rotary": "rotary", "absolute": "absolute"})
    turning = place == "rotary"
    first = int(config.number("pad_token_id", 1)) + 1
    longest = config.whole("max_position_embeddings")
    learned = {"learned": "max_len", "offset": first, "from": "nonpad"}
    if not turning:
        config.ignore("rope_theta", "rope_parameters")
    attention = said(heads="n_heads", mask="full", rope=rope(config) if turning else None)
    feed = {"mlp": {"hidden": "d_ff", "act": "gelu"}}
    return encoder(
        sizes(config, length=None if turning else longest - first),
        embed=said(
            scale=SEEN if config.flag("token_dropout") else None,
            positions=None if turning else learned,
            norm=norm if config.flag("emb_layer_norm_before") else None,
            mask_pads=True,
        ),
        defaults=settings(config, norm, at="pre", bias=True),
        layers=[{"attn": {"attention": attention}, "mlp": feed}]
        * config.whole("num_hidden_layers"),
        final=norm,
        behind=Head("lm_head.decoder.weight", "gelu", pooler=POOLER).nodes(config, norm),
        longest=longest if turning else None,
    )


ESM = Family(
    esm,
    spec,
    {
        "esm": ModelType(
            "ESM-2 (Lin et al. 2023): a pre-norm encoder of proteins with rotary positions, for "
            "sequences without mask tokens.",
            {
                "hidden_size": 768,
                "intermediate_size": 3072,
                "num_hidden_layers": 12,
                "num_attention_heads": 12,
                "max_position_embeddings": 1026,
                "position_embedding_type": "absolute",
                "hidden_act": "gelu",
                "norm_eps": 1e-12,
                "hidden_dropout": 0.1,
                "attention_dropout": 0.1,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="esm",
)
