"""BART (Lewis et al. 2020) and three of its form: mBART, Marian's translators and PEGASUS."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.translator import Kind, translator
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

KINDS = {
    "bart": Kind(pre_norm=False, embed_norm=True, learned=True),
    "mbart": Kind(pre_norm=True, embed_norm=True, learned=True),
    "marian": Kind(pre_norm=False, embed_norm=False, learned=False),
    "pegasus": Kind(pre_norm=True, embed_norm=False, learned=False),
}


def bart(names: Names) -> dict[str, Any]:
    """Rename rules for BART and its like; tables of sines, which old files hold, are dropped."""
    decoder = names.decoder or names
    return {
        **_tables(names.table, decoder.table),
        **_tower(names, "encoder"),
        **_tower(decoder, "decoder"),
        "encoder.layer_norm.*": of(names.final),
        "decoder.layer_norm.*": of(decoder.final),
        "lm_head.weight": of(names.head, "weight"),
        "final_logits_bias": {"to": f"{names.head}.bias", "op": "squeeze"}
        if names.head
        else "drop",
    }


def _tables(first: str, second: str) -> dict[str, Any]:
    """One table for both towers, or one each; the embedding of a shared one is named after it."""
    towers = {"encoder.embed_tokens.weight": first, "decoder.embed_tokens.weight": second}
    shared = {"shared.weight": first}
    return {**shared, **towers} if first == second else {**towers, **shared}


def _tower(names: Names, side: str) -> dict[str, Any]:
    return {
        f"{side}.embed_positions.weight": "drop" if names.waves else names.positions,
        f"{side}.layernorm_embedding.*": f"{names.embed}.norm.*",
        **layers(names, f"{side}.layers.{{i}}"),
    }


def layers(names: Names, layer: str) -> dict[str, Any]:
    """Rules for the layers of one tower; files name each of them `layer`."""
    ours = f"{names.stack}.{{i}}"
    attn, mlp = f"{ours}.{names.attention}", f"{ours}.{names.mlp}"
    cross = f"{ours}.{names.cross}"
    return {
        **_attention(f"{layer}.self_attn", attn, names.norm),
        **(_attention(f"{layer}.encoder_attn", cross, names.norm) if names.cross else {}),
        f"{layer}.fc1.*": f"{mlp}.up.*",
        f"{layer}.fc2.*": f"{mlp}.down.*",
        f"{layer}.final_layer_norm.*": f"{mlp}.{names.norm}.*",
    }


def _attention(theirs: str, ours: str, norm: str) -> dict[str, Any]:
    maps = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "o": "out_proj"}
    rules = {f"{theirs}.{name}.*": f"{ours}.{letter}.*" for letter, name in maps.items()}
    return {**rules, f"{theirs}_layer_norm.*": f"{ours}.{norm}.*"}


def spec(config: Config) -> Written:
    """An encoder and a decoder around one table, by the kind of the model type."""
    return translator(config, KINDS[str(config.said["model_type"])])


_DEFAULTS = {
    "vocab_size": 50265,
    "hidden_size": 1024,
    "encoder_layers": 12,
    "encoder_attention_heads": 16,
    "encoder_ffn_dim": 4096,
    "decoder_layers": 12,
    "decoder_attention_heads": 16,
    "decoder_ffn_dim": 4096,
    "max_position_embeddings": 1024,
    "hidden_act": "gelu",
    "hidden_dropout": 0.1,
    "attention_dropout": 0.0,
    "activation_dropout": 0.0,
    "initializer_range": 0.02,
    "is_encoder_decoder": True,
    "tie_word_embeddings": True,
}

BART = Family(
    bart,
    spec,
    {
        "bart": ModelType(
            "BART (Lewis et al. 2020): a post-norm encoder and decoder with learned positions, "
            "normed behind their one table.",
            _DEFAULTS,
        ),
        "mbart": ModelType(
            "mBART (Liu et al. 2020): BART with norms before its steps, for many languages.",
            _DEFAULTS,
        ),
        "marian": ModelType(
            "Marian (Junczys-Dowmunt et al. 2018): a post-norm translator with fixed positions.",
            {**_DEFAULTS, "vocab_size": 58101},
        ),
        "pegasus": ModelType(
            "PEGASUS (Zhang et al. 2020): a pre-norm encoder and decoder with fixed positions, for "
            "summaries.",
            _DEFAULTS,
        ),
    },
    prefix="model",
    heads=("lm_head", "final_logits_bias"),
)
