"""SigLIP (Zhai et al. 2023): both towers, or either of them."""

from typing import Any

from compiler.importers.config import tower
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import layer_norm, only_bare
from compiler.importers.config.tower import Tower
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType
from compiler.importers.names import Names

BARE = "only both towers or a bare one are imported"
TEXT: Written = {
    "vocab_size": 32000,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "max_position_embeddings": 64,
    "hidden_act": "gelu_pytorch_tanh",
    "norm_eps": 1e-6,
}
VISION: Written = {
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "num_channels": 3,
    "image_size": 224,
    "patch_size": 16,
    "hidden_act": "gelu_pytorch_tanh",
    "norm_eps": 1e-6,
}


def siglip(names: Names) -> dict[str, Any]:
    """Rename rules for both towers."""
    contrast = names.contrast
    return {
        **_text(names, "text_model."),
        **_vision(names.decoder or Names(), "vision_model."),
        "logit_scale": {"to": f"{contrast}.temperature", "op": "squeeze"},
        "logit_bias": {"to": f"{contrast}.bias", "op": "squeeze"},
    }


def _text(names: Names, prefix: str = "") -> dict[str, Any]:
    return {**tower.text_rules(names, prefix), f"{prefix}head.*": f"{names.classifier}.*"}


def _vision(names: Names, prefix: str = "") -> dict[str, Any]:
    """The head's attention is torch's own, with its three projections in one."""
    rules = tower.image_rules(names, prefix)
    if not names.probe:
        return rules
    head, probe = f"{prefix}head", names.probe
    mlp = f"{names.second_stack}.0.{names.mlp}"
    fused = {
        f"{head}.attention.in_proj_{kind}": {
            "to": [f"{probe}.{letter}.{kind}" for letter in "qkv"],
            "op": "split",
        }
        for kind in ("weight", "bias")
    }
    return {
        **rules,
        f"{head}.probe": {"to": f"{probe}.probe.weight", "op": "squeeze"},
        **fused,
        f"{head}.attention.out_proj.*": f"{probe}.o.*",
        f"{head}.layernorm.*": f"{mlp}.norm.*",
        f"{head}.mlp.fc1.*": f"{mlp}.up.*",
        f"{head}.mlp.fc2.*": f"{mlp}.down.*",
    }


def _read(text: Tower) -> Written:
    """The nodes of a text tower, which sees a text both ways; its last token stands for it."""
    return {
        "tok": tower.embedding(text),
        "text": text.stack(),
        "text_norm": {"norm": text.norm},
        "text_last": {"pool": "last"},
        "text_embed": {"linear": {"dim": "d_proj"}},
    }


def _seen(vision: Tower, patches: Written) -> Written:
    """The nodes of an image tower: a learned query asks for what is in the image."""
    nodes = {
        "patches": patches,
        "vision": vision.stack(),
        "vision_norm": {"norm": vision.norm},
    }
    if not vision.config.flag("vision_use_head", otherwise=True):
        return nodes
    return {
        **nodes,
        "vision_asked": {"pool": {"attention": {"heads": vision.name("n_heads")}}},
        "vision_embed": {"stack": {"repeat": 1, "layer": {"mlp": vision.mlp()}}},
    }


def _text_sizes(text: Tower) -> Written:
    projected = text.config.optional("projection_size") or text.width
    return {**tower.text_sizes(text), "d_proj": projected}


def spec(config: Config) -> Written:
    """Two towers whose vectors are compared pair by pair."""
    config.ignore("initializer_factor")
    given, shown = config.nested("text_config", TEXT), config.nested("vision_config", VISION)
    norm = layer_norm(given)
    text, vision = Tower(given, "text", norm, norm), Tower(shown, "vision", layer_norm(shown), norm)
    sizes, picture, patches = tower.cut(vision)
    shown.only("attention_dropout", given.get("attention_dropout", 0.0), "one for both")
    shown.only("vision_use_head", True, "an image without a vector cannot be compared")
    towers = {**_read(text), **_seen(vision, patches)}
    alike = {"contrast": {"bias": True}, "in": ["text_embed", "vision_embed"]}
    return {
        "dims": {**_text_sizes(text), **sizes},
        "inputs": {"ids": "tokens", "pixels": picture},
        "defaults": tower.defaults(given, norm),
        "graph": {**towers, "logits": alike},
    }


def text_spec(config: Config) -> Written:
    """The text tower: its hidden states and its vector."""
    only_bare(config, BARE)
    norm = layer_norm(config)
    text = Tower(config, "", norm, norm)
    return {
        "dims": _text_sizes(text),
        "inputs": {"ids": "tokens"},
        "defaults": tower.defaults(config, norm),
        "graph": _read(text),
        "outputs": ["text_norm", "text_embed"],
    }


def vision_spec(config: Config) -> Written:
    """The image tower: its hidden states and, with a head, its vector."""
    only_bare(config, BARE)
    norm = layer_norm(config)
    vision = Tower(config, "", norm, norm)
    sizes, picture, patches = tower.cut(vision)
    graph = _seen(vision, patches)
    return {
        "dims": sizes,
        "inputs": {"pixels": picture},
        "defaults": tower.defaults(config, norm),
        "graph": graph,
        "outputs": [name for name in ("vision_norm", "vision_embed") if name in graph],
    }


ABOUT = "SigLIP (Zhai et al. 2023): an encoder of text and one of images, trained pair by pair."
SIGLIP = Family(siglip, spec, {"siglip": ModelType(ABOUT, {})})
SIGLIP_TEXT = Family(
    _text,
    text_spec,
    {"siglip_text_model": ModelType(f"The text tower of {ABOUT}", TEXT)},
    prefix="text_model",
    heads=(),
)
SIGLIP_VISION = Family(
    _vision,
    vision_spec,
    {"siglip_vision_model": ModelType(f"The image tower of {ABOUT}", VISION)},
    prefix="vision_model",
    heads=(),
)
