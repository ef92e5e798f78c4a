"""Nomic BERT (Nussbaum et al. 2024): BERT with rotary positions and gated mlps, without biases."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import layer_norm, mlp
from compiler.importers.config.encoder import Head, encoder, settings, sizes
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written
from compiler.importers.families.bert import POOLER, logits
from compiler.importers.families.bert import norm as norms
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def nomic_bert(names: Names) -> dict[str, Any]:
    """Rename rules for Nomic BERT: q, k and v are one, `fc12` is the gate and `fc11` the rest."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer, predictions = "encoder.layers.{i}", "cls.predictions"
    return {
        "embeddings.word_embeddings.weight": names.table,
        "embeddings.token_type_embeddings.weight": f"{names.embed}.types.weight",
        "emb_ln.*": f"{names.embed}.norm.*",
        f"{layer}.attn.Wqkv.*": {"to": [f"{attn}.{part}.*" for part in "qkv"], "op": "split"},
        f"{layer}.attn.out_proj.*": f"{attn}.o.*",
        f"{layer}.norm1.*": f"{attn}.post_norm.*",
        f"{layer}.mlp.fc12.*": f"{mlp}.gate.*",
        f"{layer}.mlp.fc11.*": f"{mlp}.up.*",
        f"{layer}.mlp.fc2.*": f"{mlp}.down.*",
        f"{layer}.norm2.*": f"{mlp}.post_norm.*",
        "pooler.dense.*": of(names.pooler),
        f"{predictions}.transform.dense.*": of(names.transform),
        **norms(f"{predictions}.transform.layer_norm", names.transform_norm),
        **logits(predictions, names.head),
        "*.rotary_emb.inv_freq": "drop",
    }


def spec(config: Config) -> Written:
    """A post-norm encoder with segment types; biases are in norms and heads alone."""
    norm, dims = layer_norm(config), sizes(config, length=None)
    config.only("head_dim", dims["d_model"] // dims["n_heads"], "heads are as wide as they must be")
    attention = {"heads": "n_heads", "mask": "full", "rope": rope(config)}
    head = Head(
        "cls.predictions.decoder.weight",
        config.activation(),
        pooler=POOLER,
        pooled=False,
        bias=True,
    )
    return encoder(
        dims,
        embed={"types": config.whole("type_vocab_size"), "norm": norm},
        defaults=settings(config, norm, at="post", bias=False),
        layers=[{"attn": {"attention": attention}, "mlp": mlp(config, gated=True)}]
        * config.whole("num_hidden_layers"),
        behind=head.nodes(config, norm),
        longest=config.whole("max_position_embeddings"),
    )


NOMIC_BERT = Family(
    nomic_bert,
    spec,
    {
        "nomic_bert": ModelType(
            "Nomic BERT (Nussbaum et al. 2024): a post-norm encoder with rotary positions and "
            "gated mlps.",
            {
                "vocab_size": 30528,
                "hidden_size": 768,
                "intermediate_size": 3072,
                "num_hidden_layers": 12,
                "num_attention_heads": 12,
                "max_position_embeddings": 2048,
                "type_vocab_size": 2,
                "hidden_act": "silu",
                "norm_eps": 1e-12,
                "rope_theta": 1000.0,
                "hidden_dropout": 0.0,
                "attention_dropout": 0.0,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="nomic_bert",
)
