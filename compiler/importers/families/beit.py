"""BEiT (Bao et al. 2022): patches whose positions are biases of a grid, or learned rows."""

from typing import Any

from compiler.importers.config import image
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, layer_norm, mlp, only_bare
from compiler.importers.config.encoder import settings
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.families.vit import BASE, CLASSES, embeddings, layers
from compiler.importers.names import Names

BIAS = "relative_position_bias.relative_position_bias_table"
FOR_SEGMENTS = (
    "vocab_size",
    "pool_scales",
    "use_auxiliary_head",
    "auxiliary_loss_weight",
    "auxiliary_channels",
    "auxiliary_num_convs",
    "auxiliary_concat_input",
    "semantic_loss_ignore_index",
    "out_features",
    "out_indices",
    "out_indexes",
    "segmentation_indices",
    "stage_names",
    "add_fpn",
    "reshape_hidden_states",
    "use_mask_token",
)
"""Words about heads that tell segments or masked patches."""


def beit(names: Names) -> dict[str, Any]:
    """Rename rules for BEiT; a layer has a learned factor on each branch."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "encoder.layer.{i}"
    return {
        **embeddings(names),
        **layers(names),
        f"{layer}.attention.attention.{BIAS}": f"{attn}.bias.weight",
        f"encoder.{BIAS}": f"{names.stack}_bias.weight",
        f"{layer}.attention.attention.relative_position_bias.relative_position_index": "drop",
        "encoder.relative_position_bias.relative_position_index": "drop",
        f"{layer}.lambda_1": f"{attn}.layerscale.weight",
        f"{layer}.lambda_2": f"{mlp}.layerscale.weight",
        f"{layer}.layernorm_before.*": f"{attn}.norm.*",
        f"{layer}.layernorm_after.*": f"{mlp}.norm.*",
        f"{layer}.intermediate.dense.*": f"{mlp}.up.*",
        f"{layer}.output.dense.*": f"{mlp}.down.*",
        f"{'pooler.' if names.pooled_norm else ''}layernorm.*": f"{names.final}.*",
        "classifier.*": of(names.classifier),
    }


def spec(config: Config) -> Written:
    """Pre-norm layers without a bias on keys; the mean of the patches is normed, or the first."""
    picture, norm = image.Picture.of(config), layer_norm(config)
    config.ignore(*FOR_SEGMENTS)
    learned = config.flag("use_absolute_position_embeddings")
    patches = picture.patches("d_model", prefix=["cls"])
    if not learned:
        del patches["positions"]
    branch = said(
        layerscale=config.number("layer_scale_init_value") or None,
        drop_path=config.number("drop_path_rate", 0.0) or None,
    )
    attention = said(heads="n_heads", bias="qvo", position_bias=_grid(config, picture))
    feed = mlp(config)
    layer = {"attn": {"attention": attention, **branch}, "mlp": {**feed, **branch}}
    graph: Written = {
        "x": {"patches": patches, "in": "pixels"},
        "h": {"stack": {"repeat": "n_layers", "layer": layer}},
        **_pooled(config, norm),
    }
    made: Written = {
        "dims": image.sizes(config, picture),
        "inputs": {"pixels": picture.input},
        "defaults": settings(config, norm, at="pre", bias=True),
        "graph": graph,
    }
    architecture = architecture_of(config)
    if architecture.endswith(CLASSES):
        made["dims"]["classes"] = image.classes(config, "classifier.weight")
        graph["logits"] = {"linear": {"dim": "classes"}}
        return made
    only_bare(config, "only bare models and classifiers are imported")
    mean = config.flag("use_mean_pooling")
    return {**made, "outputs": ["h", "final"] if mean else ["final", "first"]}


def _grid(config: Config, picture: image.Picture) -> Written | None:
    """The bias of every layer, or of all together."""
    own = config.flag("use_relative_position_bias")
    shared = config.flag("use_shared_relative_position_bias")
    if own and shared:
        word = "use_shared_relative_position_bias"
        config.refuse(word, "beside a bias for each layer it is not imported")
    if not own and not shared:
        return None
    size: object = "image/patch"
    if not isinstance(picture.image, int) or not isinstance(picture.patch, int):
        size = [high // side for high, side in zip(*_sides(picture), strict=True)]
    return {"grid": said(size=size, cls=True, per="stack" if shared else None)}


def _sides(picture: image.Picture) -> list[list[int]]:
    """Height and width of image and patch."""
    both = (picture.image, picture.patch)
    return [side if isinstance(side, list) else [side, side] for side in both]


def _pooled(config: Config, norm: Written) -> Written:
    """The normed mean of what is no class token, or the class token of what is normed."""
    if config.flag("use_mean_pooling"):
        return {"mean": {"pool": {"mean": {"skip": 1}}}, "final": {"norm": norm}}
    return {"final": {"norm": norm}, "first": {"pool": "first"}}


BEIT = Family(
    beit,
    spec,
    {
        "beit": ModelType(
            "BEiT (Bao et al. 2022): a Vision Transformer that learned to fill in masked patches; "
            "its positions are learned biases for offsets on the grid of patches.",
            {
                **BASE,
                "layer_scale_init_value": 0.1,
                "drop_path_rate": 0.1,
                "use_mean_pooling": True,
            },
        )
    },
    prefix="beit",
    heads=("classifier", "lm_head"),
)
