"""ModernBERT (Warner et al. 2024): pre-norm, rotary, gated, most layers with a window."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import mlp, settings
from compiler.importers.config.encoder import Head, encoder, sizes
from compiler.importers.config.layers import SLIDING, layer_types
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def modernbert(names: Names) -> dict[str, Any]:
    """Rename rules for ModernBERT: q, k and v are one, and so are gate and up."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    return {
        "embeddings.tok_embeddings.weight": names.table,
        "embeddings.norm.*": f"{names.embed}.norm.*",
        "layers.{i}.attn_norm.*": f"{attn}.norm.*",
        "layers.{i}.attn.Wqkv.*": {"to": [f"{attn}.{part}.*" for part in "qkv"], "op": "split"},
        "layers.{i}.attn.Wo.*": f"{attn}.o.*",
        "layers.{i}.mlp_norm.*": f"{mlp}.norm.*",
        "layers.{i}.mlp.Wi.*": {"to": [f"{mlp}.gate.*", f"{mlp}.up.*"], "op": "split"},
        "layers.{i}.mlp.Wo.*": f"{mlp}.down.*",
        "final_norm.*": of(names.final),
        "head.dense.*": of(names.transform),
        "head.norm.*": of(names.transform_norm),
        "decoder.*": of(names.head),
        "*.rotary_emb.inv_freq": "drop",
    }


def spec(config: Config) -> Written:
    """A pre-norm encoder whose first attention has no norm; every third layer sees all."""
    config.ignore("classifier_pooling", "initializer_cutoff_factor", "deterministic_flash_attn")
    config.ignore("sparse_pred_ignore_index", "reference_compile", "repad_logits_with_grad")
    config.ignore("position_embedding_type", "attention_layer", "bert_layer", "padding")
    norm = {"layer": {"eps": config.number("norm_eps"), "bias": config.flag("norm_bias")}}
    feed = mlp(config, gated=True, bias=config.flag("mlp_bias") or None)
    defaults, every = settings(config, norm), config.whole("global_attn_every_n_layers")
    if rate := config.number("mlp_dropout", 0.0):
        defaults.setdefault("dropout", {})["hidden"] = rate
    return encoder(
        sizes(config, length=None),
        embed={"norm": norm},
        defaults=defaults,
        layers=[
            {"attn": said(attention=_attention(config, kind), norm_at=None if index else "none")}
            | {"mlp": feed}
            for index, kind in enumerate(layer_types(config, lambda index: index % every != 0))
        ],
        final=norm,
        behind=_head(config).nodes(config, norm),
        longest=config.whole("max_position_embeddings"),
    )


def _head(config: Config) -> Head:
    return Head(
        "decoder.weight",
        config.activation("classifier_activation"),
        table="embeddings.tok_embeddings.weight",
        bias=config.flag("classifier_bias") or None,
        logits_bias=config.flag("decoder_bias", True),
    )


def _attention(config: Config, kind: str) -> Written:
    local = kind == SLIDING
    theta = config.number(
        "local_rope_theta" if local else "global_rope_theta", 10000.0 if local else 160000.0
    )
    turned = rope(config, kind) or {}
    if "rope_parameters" not in config:
        turned["theta"] = theta
    return said(
        heads="n_heads",
        mask="full",
        window=config.whole("local_attention") // 2 if local else None,
        bias=config.flag("attention_bias") or None,
        rope=turned,
    )


MODERNBERT = Family(
    modernbert,
    spec,
    {
        "modernbert": ModelType(
            "ModernBERT (Warner et al. 2024): a pre-norm encoder with rotary positions, gated mlps "
            "and windows in two layers of three.",
            {
                "vocab_size": 50368,
                "hidden_size": 768,
                "intermediate_size": 1152,
                "num_hidden_layers": 22,
                "num_attention_heads": 12,
                "max_position_embeddings": 8192,
                "hidden_act": "gelu",
                "classifier_activation": "gelu",
                "norm_eps": 1e-5,
                "local_attention": 128,
                "global_attn_every_n_layers": 3,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model",
    heads=("head", "decoder", "classifier"),
)
