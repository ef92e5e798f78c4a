"""Whisper (Radford et al. 2023): an encoder of spectrograms and a decoder of text."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import settings
from compiler.importers.config.pattern import stack
from compiler.importers.config.translator import NORM, either, has_head, sizes
from compiler.importers.config.written import Written
from compiler.importers.families.bart import layers
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

CONVOLUTIONS = [{"kernel": 3, "pad": 1}, {"kernel": 3, "stride": 2, "pad": 1}]
UNUSED = (
    "classifier_proj_size",
    "mask_time_prob",
    "mask_time_length",
    "mask_time_min_masks",
    "mask_feature_prob",
    "mask_feature_length",
    "mask_feature_min_masks",
    "median_filter_width",
    "num_hidden_layers",
)
"""Keys for other heads, for training and for the times of words."""


def whisper(names: Names) -> dict[str, Any]:
    """Rename rules for Whisper: BART's layers, two convolutions, stored positions."""
    decoder = names.decoder or names
    return {
        "encoder.conv1.*": f"{names.stem}.conv_1.*",
        "encoder.conv2.*": f"{names.stem}.conv_2.*",
        "encoder.embed_positions.weight": f"{names.stem}.positions.weight",
        **layers(names, "encoder.layers.{i}"),
        "encoder.layer_norm.*": of(names.final),
        "decoder.embed_tokens.weight": decoder.table,
        "decoder.embed_positions.weight": decoder.positions,
        **layers(decoder, "decoder.layers.{i}"),
        "decoder.layer_norm.*": of(decoder.final),
        "proj_out.weight": of(names.head, "weight"),
    }


def spec(config: Config) -> Written:
    """Pre-norm towers without biases on keys; the encoder's table holds sines, as published."""
    config.only("is_encoder_decoder", True, "only an encoder with its decoder is imported")
    config.only("scale_embedding", False, "the class scales nothing")
    config.only("use_weighted_layer_sum", False, "only speech recognition is imported")
    config.ignore(*UNUSED)
    dims, act = sizes(config), config.activation()
    dims["mels"] = config.whole("num_mel_bins")
    dims["max_src"] = config.whole("max_source_positions")
    dims["max_tgt"] = config.whole("max_target_positions")
    heads, count = either(dims, "n_dec_heads", "n_heads"), either(dims, "n_dec_layers", "n_layers")
    encoder = {
        "self": {"attention": {"heads": "n_heads", "mask": "full", "bias": "qvo"}},
        "mlp": {"mlp": {"hidden": "d_ff", "act": act}},
    }
    decoder = {
        "self": {"attention": {"heads": heads, "mask": "causal", "bias": "qvo"}},
        "cross": {"attention": {"heads": heads, "source": "memory", "bias": "qvo"}},
        "mlp": {"mlp": {"hidden": either(dims, "d_dec_ff", "d_ff"), "act": act}},
    }
    stem = {"convs": CONVOLUTIONS, "in_dim": "mels", "dim": "d_model", "act": "gelu"}
    table = {"vocab": "vocab", "dim": "d_model", "positions": {"learned": "max_tgt"}}
    graph: Written = {
        "src": {"conv_stem": {**stem, "positions": {"learned": "max_src"}}, "in": "features"},
        "enc": {"stack": stack([encoder] * dims["n_layers"], "n_layers")},
        "memory": {"norm": NORM},
        "tgt": {"embed": table, "in": "tgt_ids"},
        "dec": {"stack": stack([decoder] * dims[count], count)},
        "final": {"norm": NORM},
    }
    if has_head(config):
        config.only("tie_word_embeddings", True, "the class ties its head")
        graph["logits"] = {"unembed": {"tie": "tgt"}}
    return {
        "dims": dims,
        "inputs": {"features": {"frames": ["mels", "2*max_src"]}, "tgt_ids": "tokens"},
        "defaults": settings(config, NORM, bias=True, embed="hidden_dropout"),
        "graph": graph,
    }


WHISPER = Family(
    whisper,
    spec,
    {
        "whisper": ModelType(
            "Whisper (Radford et al. 2023): speech to text, an encoder of mel spectrograms behind "
            "two convolutions and a decoder that reads it.",
            {
                "vocab_size": 51865,
                "num_mel_bins": 80,
                "hidden_size": 384,
                "encoder_layers": 4,
                "encoder_attention_heads": 6,
                "encoder_ffn_dim": 1536,
                "decoder_layers": 4,
                "decoder_attention_heads": 6,
                "decoder_ffn_dim": 1536,
                "max_source_positions": 1500,
                "max_target_positions": 448,
                "hidden_act": "gelu",
                "hidden_dropout": 0.0,
                "attention_dropout": 0.0,
                "activation_dropout": 0.0,
                "initializer_range": 0.02,
                "is_encoder_decoder": True,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="model",
    heads=("proj_out",),
)
