"""The Vision Transformer (Dosovitskiy et al. 2021) and DeiT (Touvron et al. 2021), whose image has
a second token that learned from a teacher."""

from typing import Any

from compiler.importers.config import image
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, layer_norm, mlp, only_bare
from compiler.importers.config.encoder import settings
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

CLASSES, TEACHER = "ForImageClassification", "ForImageClassificationWithTeacher"
BASE: Written = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "hidden_act": "gelu",
    "norm_eps": 1e-12,
    "initializer_range": 0.02,
    "image_size": 224,
    "patch_size": 16,
    "num_channels": 3,
    "pooler_act": "tanh",
}


def layers(names: Names) -> dict[str, Any]:
    """Rename rules for the maps of a layer, which DINOv2 shares."""
    attn = f"{names.stack}.{{i}}.{names.attention}"
    layer = "encoder.layer.{i}.attention"
    return {
        f"{layer}.attention.query.*": f"{attn}.q.*",
        f"{layer}.attention.key.*": f"{attn}.k.*",
        f"{layer}.attention.value.*": f"{attn}.v.*",
        f"{layer}.output.dense.*": f"{attn}.o.*",
    }


def embeddings(names: Names) -> dict[str, Any]:
    """Rename rules for the patches and the tokens before them."""
    patches = names.patches
    tokens = {"cls_token": "cls", "position_embeddings": "positions"}
    return {
        **{
            f"embeddings.{theirs}": {"to": f"{patches}.{ours}.weight", "op": "squeeze"}
            for theirs, ours in tokens.items()
        },
        "embeddings.patch_embeddings.projection.*": f"{patches}.project.*",
        "embeddings.mask_token": "drop",
    }


def vit(names: Names) -> dict[str, Any]:
    """Rename rules for ViT; the prefix `vit.` is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer, pooler = "encoder.layer.{i}", names.pooler
    return {
        **embeddings(names),
        **layers(names),
        f"{layer}.layernorm_before.*": f"{attn}.norm.*",
        f"{layer}.layernorm_after.*": f"{mlp}.norm.*",
        f"{layer}.intermediate.dense.*": f"{mlp}.up.*",
        f"{layer}.output.dense.*": f"{mlp}.down.*",
        "layernorm.*": f"{names.final}.*",
        "classifier.*": of(names.classifier),
        "pooler.dense.*": f"{pooler}.*" if pooler and pooler != names.classifier else "drop",
    }


def deit(names: Names) -> dict[str, Any]:
    """Rename rules for DeiT: ViT's with a second token and a head for each."""
    token = {"to": f"{names.patches}.dist.weight", "op": "squeeze"}
    heads = {
        "classifier.*": "drop",
        "cls_classifier.*": f"{names.classifier}.*",
        "distillation_classifier.*": f"{names.second_classifier}.*",
    }
    return {
        **vit(names),
        "embeddings.distillation_token": token,
        **(heads if names.second_classifier else {}),
    }


def spec(config: Config, prefix: tuple[str, ...] = ("cls",)) -> Written:
    """Patches behind learned tokens, pre-norm layers, a norm, and classes or a pooler."""
    picture = image.Picture.of(config)
    norm, dims = layer_norm(config), image.sizes(config, picture)
    config.ignore("encoder_stride")
    feed = mlp(config)
    graph: Written = {
        "x": {
            "patches": picture.patches("d_model", prefix=list(prefix)),
            "in": "pixels",
        },
        "h": {
            "stack": {
                "repeat": "n_layers",
                "layer": {"attn": image.attention(config), "mlp": feed},
            }
        },
        "final": {"norm": norm},
    }
    made: Written = {
        "dims": dims,
        "inputs": {"pixels": picture.input},
        "defaults": settings(config, norm, at="pre", bias=True),
        "graph": graph,
    }
    return with_results(config, made)


def with_results(config: Config, made: Written) -> Written:
    """The spec with what its class has behind the layers."""
    architecture, graph = architecture_of(config), made["graph"]
    config.ignore("pooler_act", "pooler_output_size")
    if architecture.endswith(TEACHER):
        made["dims"]["classes"] = image.classes(config, "cls_classifier.weight")
        graph |= {
            "first": {"pool": "first"},
            "by_class": {"linear": {"dim": "classes"}},
            "second": {"pool": {"index": 1}, "in": "final"},
            "by_teacher": {"linear": {"dim": "classes"}},
            "logits": {"mean_of": {}, "in": ["by_class", "by_teacher"]},
        }
        return made
    if architecture.endswith(CLASSES):
        made["dims"]["classes"] = image.classes(config, "classifier.weight")
        graph |= {"first": {"pool": "first"}, "logits": {"linear": {"dim": "classes"}}}
        return made
    only_bare(config, "only bare models and classifiers are imported")
    if config.tensors.tensors and config.tensors.find("pooler.dense.weight") is None:
        return made
    width = config.optional("pooler_output_size") or made["dims"]["d_model"]
    own = width != made["dims"]["d_model"]
    made["dims"] |= {"d_pooler": width} if own else {}
    pooler = {"dim": "d_pooler" if own else "d_model", "act": config.activation("pooler_act")}
    graph |= {"first": {"pool": "first"}, "pooler": {"linear": pooler}}
    return {**made, "outputs": ["final", "pooler"]}


def distilled(config: Config) -> Written:
    """ViT with a second token before the patches."""
    return spec(config, ("cls", "dist"))


VIT = Family(
    vit,
    spec,
    {
        "vit": ModelType(
            "The Vision Transformer (Dosovitskiy et al. 2021): an image as a sequence of patches.",
            BASE,
        )
    },
    prefix="vit",
)
DEIT = Family(
    deit,
    distilled,
    {
        "deit": ModelType(
            "DeiT (Touvron et al. 2021): a Vision Transformer with a token that learned from a "
            "teacher.",
            BASE,
        )
    },
    prefix="deit",
    heads=("classifier", "cls_classifier", "distillation_classifier"),
)
