"""DINOv2 (Oquab et al. 2023), without registers and with them (Darcet et al. 2024)."""

from typing import Any

from compiler.importers.config import image
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, layer_norm, only_bare
from compiler.importers.config.encoder import settings
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.families.vit import CLASSES, embeddings, layers
from compiler.importers.names import Names

BASE: Written = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "mlp_ratio": 4,
    "hidden_act": "gelu",
    "norm_eps": 1e-6,
    "initializer_range": 0.02,
    "image_size": 224,
    "patch_size": 14,
    "num_channels": 3,
    "layerscale_value": 1.0,
}


def dinov2(names: Names) -> dict[str, Any]:
    """Rename rules for DINOv2; a layer has a learned factor on each branch."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "encoder.layer.{i}"
    both = [f"{mlp}.gate.*", f"{mlp}.up.*"]
    feed: dict[str, Any] = (
        {"weights_in.*": {"to": both, "op": "split"}, "weights_out.*": f"{mlp}.down.*"}
        if names.gated
        else {"fc1.*": f"{mlp}.up.*", "fc2.*": f"{mlp}.down.*"}
    )
    return {
        **embeddings(names),
        "embeddings.register_tokens": {
            "to": f"{names.patches}.registers.weight",
            "op": "squeeze",
        },
        **layers(names),
        f"{layer}.norm1.*": f"{attn}.norm.*",
        f"{layer}.layer_scale1.lambda1": f"{attn}.layerscale.weight",
        f"{layer}.norm2.*": f"{mlp}.norm.*",
        f"{layer}.layer_scale2.lambda1": f"{mlp}.layerscale.weight",
        **{f"{layer}.mlp.{name}": rule for name, rule in feed.items()},
        "layernorm.*": f"{names.final}.*",
        "classifier.*": of(names.classifier),
    }


def spec(config: Config, registers: int = 0) -> Written:
    """ViT's layers with learned factors; an image of another size interpolates the positions."""
    picture, norm = image.Picture.of(config), layer_norm(config)
    gated = config.flag("use_swiglu_ffn")
    hidden = int(config.whole("hidden_size") * config.number("mlp_ratio"))
    hidden = (int(hidden * 2 / 3) + 7) // 8 * 8 if gated else hidden
    act = config.activation()
    feed = {"hidden": "d_ff", **({"act": "silu", "gated": True} if gated else {"act": act})}
    config.ignore("apply_layernorm", "reshape_hidden_states", "use_mask_token")
    config.ignore("out_features", "out_indices", "stage_names")
    branch = said(
        layerscale=config.number("layerscale_value"),
        drop_path=config.number("drop_path_rate", 0.0) or None,
    )
    own: Written = {"prefix": ["cls"], "resize": "bicubic"}
    if registers:
        own = {
            "prefix": ["cls", {"registers": registers}],
            "positions_cover": "before_registers",
            "resize": "bicubic_antialias",
        }
    graph: Written = {
        "x": {"patches": picture.patches("d_model", **own), "in": "pixels"},
        "h": {
            "stack": {
                "repeat": "n_layers",
                "layer": {
                    "attn": {**image.attention(config), **branch},
                    "mlp": {"mlp": feed, **branch},
                },
            }
        },
        "final": {"norm": norm},
        "first": {"pool": "first"},
    }
    made: Written = {
        "dims": image.sizes(config, picture, hidden),
        "inputs": {"pixels": picture.input},
        "defaults": settings(config, norm, at="pre", bias=True),
        "graph": graph,
    }
    return _with_results(config, made, 1 + registers)


def _with_results(config: Config, made: Written, skip: int) -> Written:
    """The hidden states and the first of them, or classes from that and the mean of the patches."""
    architecture = architecture_of(config)
    if architecture.endswith(CLASSES):
        made["dims"]["classes"] = image.classes(config, "classifier.weight")
        made["graph"] |= {
            "patches_mean": {"pool": {"mean": {"skip": skip}}, "in": "final"},
            "both": {"concat": {}, "in": ["first", "patches_mean"]},
            "logits": {"linear": {"dim": "classes"}},
        }
        return made
    only_bare(config, "only bare models and classifiers are imported")
    return {**made, "outputs": ["final", "first"]}


def registered(config: Config) -> Written:
    """DINOv2 with registers between the first token and the patches."""
    return spec(config, config.whole("num_register_tokens", 1024))


DINOV2 = Family(
    dinov2,
    spec,
    {
        "dinov2": ModelType(
            "DINOv2 (Oquab et al. 2023): features of images, learned without labels.", BASE
        )
    },
    prefix="dinov2",
)
DINOV2_WITH_REGISTERS = Family(
    dinov2,
    registered,
    {
        "dinov2_with_registers": ModelType(
            "DINOv2 with registers (Darcet et al. 2024): tokens that patches may write to.",
            {**BASE, "patch_size": 16, "num_register_tokens": 4},
        )
    },
    prefix="dinov2_with_registers",
)
