"""BLIP's captioner (Li et al. 2022): an encoder of images and a decoder of text that looks at
them."""

from typing import Any

from compiler.importers.config import tower
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, layer_norm, refuse_class
from compiler.importers.config.encoder import settings
from compiler.importers.config.tower import Tower
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType
from compiler.importers.names import Names

TEXT: Written = {
    "vocab_size": 30524,
    "hidden_size": 768,
    "encoder_hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "max_position_embeddings": 512,
    "hidden_act": "gelu",
    "norm_eps": 1e-12,
    "initializer_range": 0.02,
    "is_decoder": True,
    "tie_word_embeddings": True,
}
VISION: Written = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_channels": 3,
    "image_size": 384,
    "patch_size": 16,
    "hidden_act": "gelu",
    "norm_eps": 1e-5,
}


def blip(names: Names) -> dict[str, Any]:
    """Rename rules for the captioner: CLIP's names for images, with q, k and v in one, and BERT's
    for text."""
    return {**_vision(names), **_text(names.decoder or Names())}


def _vision(names: Names) -> dict[str, Any]:
    attn, patches = f"{names.stack}.{{i}}.{names.attention}", names.patches
    model = "vision_model."
    layer = f"{model}encoder.layers.{{i}}.self_attn"
    rules = tower.image_rules(names, model)
    position = f"{model}embeddings.position_embedding"
    del rules[f"{position}.weight"]
    apart = [rule for rule in rules if rule.startswith(layer)]
    return {
        **{source: rule for source, rule in rules.items() if source not in apart},
        f"{model}embeddings.class_embedding": {"to": f"{patches}.cls.weight", "op": "squeeze"},
        position: {"to": f"{patches}.positions.weight", "op": "squeeze"},
        f"{layer}.qkv.*": {"to": [f"{attn}.{letter}.*" for letter in "qkv"], "op": "split"},
        f"{layer}.projection.*": f"{attn}.o.*",
    }


def _text(names: Names) -> dict[str, Any]:
    body, layer = "text_decoder.bert", f"{names.stack}.{{i}}"
    theirs, mlp = f"{body}.encoder.layer.{{i}}", f"{layer}.{names.mlp}"
    head = "text_decoder.cls.predictions"
    return {
        f"{body}.embeddings.word_embeddings.weight": names.table,
        f"{body}.embeddings.position_embeddings.weight": names.positions,
        f"{body}.embeddings.position_ids": "drop",
        f"{body}.embeddings.LayerNorm.*": f"{names.embed}.norm.*",
        **_attention(f"{theirs}.attention", f"{layer}.{names.attention}"),
        **_attention(f"{theirs}.crossattention", f"{layer}.{names.cross}"),
        f"{theirs}.intermediate.dense.*": f"{mlp}.up.*",
        f"{theirs}.output.dense.*": f"{mlp}.down.*",
        f"{theirs}.output.LayerNorm.*": f"{mlp}.post_norm.*",
        f"{head}.transform.dense.*": f"{names.transform}.*",
        f"{head}.transform.LayerNorm.*": f"{names.transform_norm}.*",
        f"{head}.bias": f"{names.head}.bias",
        f"{head}.decoder.*": "drop",
    }


def _attention(theirs: str, ours: str) -> dict[str, Any]:
    maps = {"query": "q", "key": "k", "value": "v"}
    return {
        **{f"{theirs}.self.{word}.*": f"{ours}.{letter}.*" for word, letter in maps.items()},
        f"{theirs}.output.dense.*": f"{ours}.o.*",
        f"{theirs}.output.LayerNorm.*": f"{ours}.post_norm.*",
    }


def spec(config: Config) -> Written:
    """An image encoder with norms before its branches, a text decoder with norms behind them."""
    _captions(config)
    given, shown = config.nested("text_config", TEXT), config.nested("vision_config", VISION)
    norm, before = layer_norm(given), layer_norm(shown)
    text, vision = Tower(given, "text", norm, norm), Tower(shown, "vision", before, norm)
    _decodes(given, vision)
    sizes, picture, patches = tower.cut(vision, prefix=["cls"])
    heads = text.name("n_heads")
    step = {
        "self": {"attention": {"heads": heads, "mask": "causal"}},
        "cross": {"attention": {"heads": heads, "source": "memory"}},
        "mlp": text.mlp(),
    }
    embedding = tower.embedding(text)
    embedding["embed"]["norm"] = norm
    graph: Written = {
        "patches": patches,
        "vision": vision.stack(),
        "memory": {"norm": before},
        "tok": embedding,
        "text": {"stack": {"repeat": text.name("n_layers"), "layer": step}},
        "transform": {"linear": {"dim": text.name("d_model"), "act": given.activation()}},
        "transform_norm": {"norm": norm},
        "logits": {"unembed": {"tie": "tok", "bias": True}},
    }
    for each in graph["vision"]["stack"]["layer"].values():
        each |= {"norm": before, "norm_at": "pre"}
    return {
        "dims": {**tower.text_sizes(text), **sizes},
        "inputs": {"pixels": picture, "ids": {"tokens": {"padded": True}}},
        "defaults": settings(given, norm, at="post", bias=True),
        "graph": graph,
    }


def _captions(config: Config) -> None:
    architecture = architecture_of(config)
    if architecture and not architecture.endswith("ForConditionalGeneration"):
        refuse_class(config, "only the captioner is imported")
    config.only("tie_word_embeddings", True, "the logits read the table of the embedding")
    config.ignore("image_text_hidden_size", "projection_dim", "logit_scale_init_value")
    config.ignore("initializer_factor", "initializer_range", "label_smoothing")


def _decodes(given: Config, vision: Tower) -> None:
    """Refuse a text tower that does not decode, or looks at vectors of another width."""
    given.only("is_decoder", True, "only a decoder writes captions")
    given.only("tie_word_embeddings", True, "the logits read the table of the embedding")
    given.only("encoder_hidden_size", vision.width, "the image's vectors have another width")
    given.ignore("label_smoothing", "projection_dim", "add_cross_attention")
    vision.config.ignore("initializer_range")
    vision.config.only("attention_dropout", given.get("attention_dropout", 0.0), "one for both")


BLIP = Family(
    blip,
    spec,
    {
        "blip": ModelType(
            "BLIP's captioner (Li et al. 2022): a decoder of text that looks at an encoded image.",
            {"tie_word_embeddings": True},
        )
    },
)
