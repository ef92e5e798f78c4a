"""CLIP (Radford et al. 2021): both towers, or either of them."""

from typing import Any

from compiler.importers.config import tower
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, layer_norm, only_bare
from compiler.importers.config.tower import Tower
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType
from compiler.importers.names import Names

PROJECTED = "WithProjection"
OLD_END = 2
"""What old configs call the end of a text, where the largest id is meant."""

TEXT: Written = {
    "vocab_size": 49408,
    "hidden_size": 512,
    "intermediate_size": 2048,
    "projection_dim": 512,
    "num_hidden_layers": 12,
    "num_attention_heads": 8,
    "max_position_embeddings": 77,
    "hidden_act": "quick_gelu",
    "norm_eps": 1e-5,
    "initializer_range": 0.02,
    "eos_token_id": 49407,
}
VISION: Written = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "projection_dim": 512,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_channels": 3,
    "image_size": 224,
    "patch_size": 32,
    "hidden_act": "quick_gelu",
    "norm_eps": 1e-5,
    "initializer_range": 0.02,
}


def clip(names: Names) -> dict[str, Any]:
    """Rename rules for both towers."""
    vision = names.decoder or Names()
    return {
        **_text(names, "text_model."),
        **_vision(vision, "vision_model."),
        "logit_scale": f"{names.contrast}.temperature",
    }


def _text(names: Names, prefix: str = "") -> dict[str, Any]:
    projection = {"text_projection.weight": f"{names.classifier}.weight"}
    return {**tower.text_rules(names, prefix), **(projection if names.classifier else {})}


def _vision(names: Names, prefix: str = "") -> dict[str, Any]:
    """The first token is stored as a vector, and a norm's name has always been misspelt."""
    token = {"to": f"{names.patches}.cls.weight", "op": "unsqueeze"}
    projection = {"visual_projection.weight": f"{names.classifier}.weight"}
    return {
        f"{prefix}embeddings.class_embedding": token,
        f"{prefix}pre_layrnorm.*": f"{names.patches}.norm.*",
        **tower.image_rules(names, prefix),
        **(projection if names.classifier else {}),
    }


def _read(tower_: Tower) -> Written:
    """The nodes of a text tower up to the vector at its end."""
    end = tower_.config.get("eos_token_id")
    last = {"ids": "ids", "token": "max_id" if end == OLD_END else end}
    return {
        "tok": tower.embedding(tower_),
        "text": tower_.stack("causal"),
        "text_norm": {"norm": tower_.norm},
        "text_end": {"pool": {"eos": last}},
    }


def _seen(tower_: Tower, patches: Written) -> Written:
    """The nodes of an image tower; the norm behind it is for the first token alone."""
    return {
        "patches": patches,
        "vision": tower_.stack(),
        "vision_first": {"pool": "first"},
        "vision_norm": {"norm": tower_.norm},
    }


def _projection() -> Written:
    return {"linear": {"dim": "d_proj", "bias": False}}


def spec(config: Config) -> Written:
    """Two towers whose vectors are compared pair by pair."""
    config.ignore("logit_scale_init_value", "initializer_factor", "initializer_range")
    given, shown = _described(config, "text", TEXT), _described(config, "vision", VISION)
    norm = layer_norm(given)
    text, vision = Tower(given, "text", norm, norm), Tower(shown, "vision", layer_norm(shown), norm)
    own = {"prefix": ["cls"], "bias": False, "norm": vision.norm}
    sizes, picture, patches = tower.cut(vision, **own)
    vision.config.only("attention_dropout", given.get("attention_dropout", 0.0), "one for both")
    vision.config.ignore("initializer_range")
    graph = {
        **_read(text),
        "text_embed": _projection(),
        **_seen(vision, patches),
        "vision_embed": _projection(),
        "logits": {"contrast": {}, "in": ["text_embed", "vision_embed"]},
    }
    return {
        "dims": {**tower.text_sizes(text), **sizes, "d_proj": config.whole("projection_dim")},
        "inputs": {"ids": "tokens", "pixels": picture},
        "defaults": tower.defaults(given, norm),
        "graph": graph,
    }


def _described(config: Config, side: str, defaults: Written) -> Config:
    """What a config says of a tower: the mapping that the first files have goes before the other,
    which transformers then overwrites, with class defaults too."""
    word, first = f"{side}_config", f"{side}_config_dict"
    config.ignore(word, first)
    return config.nested(word if config.get(first) is None else first, defaults)


def text_spec(config: Config) -> Written:
    """The text tower: its hidden states and the vector at the end, or that vector projected."""
    norm = layer_norm(config)
    text = Tower(config, "", norm, norm)
    made = {
        "dims": tower.text_sizes(text),
        "inputs": {"ids": "tokens"},
        "defaults": tower.defaults(config, norm),
        "graph": _read(text),
    }
    return _alone(config, made, "text_embed", ["text_norm", "text_end"])


def vision_spec(config: Config) -> Written:
    """The image tower: its hidden states and the vector of the first token, or that projected."""
    norm = layer_norm(config)
    vision = Tower(config, "", norm, norm)
    sizes, picture, patches = tower.cut(vision, prefix=["cls"], bias=False, norm=norm)
    made = {
        "dims": sizes,
        "inputs": {"pixels": picture},
        "defaults": tower.defaults(config, norm),
        "graph": _seen(vision, patches),
    }
    return _alone(config, made, "vision_embed", ["vision", "vision_norm"])


def _alone(config: Config, made: Written, projected: str, outputs: list[str]) -> Written:
    architecture = architecture_of(config)
    if architecture.endswith(PROJECTED):
        made["dims"]["d_proj"] = config.whole("projection_dim")
        made["graph"][projected] = _projection()
        return {**made, "outputs": [projected, outputs[0]]}
    only_bare(config, "only towers and their projections are imported")
    return {**made, "outputs": outputs}


ABOUT = "CLIP (Radford et al. 2021): an encoder of text and one of images that learned to agree."
CLIP = Family(clip, spec, {"clip": ModelType(ABOUT, {"projection_dim": 512})})
CLIP_TEXT = Family(
    _text,
    text_spec,
    {"clip_text_model": ModelType(f"The text tower of {ABOUT}", TEXT)},
    prefix="text_model",
    heads=("text_projection",),
)
CLIP_VISION = Family(
    _vision,
    vision_spec,
    {"clip_vision_model": ModelType(f"The image tower of {ABOUT}", VISION)},
    prefix="vision_model",
    heads=("visual_projection",),
)
