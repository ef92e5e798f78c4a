"""The Vision Transformer's published files (Dosovitskiy et al. 2021), under their names on disk."""

from typing import Any

from compiler.importers.names import Names


def vit(names: Names) -> dict[str, Any]:
    """Rename rules for ViT; the prefix `vit.` is left out.

    The classifier goes to the first linear node after the stack; the pooler, which no published
    result uses, is dropped.
    """
    patches = names.patches
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "encoder.layer.{i}"
    return {
        "embeddings.cls_token": {"to": f"{patches}.cls.weight", "op": "squeeze"},
        "embeddings.position_embeddings": {"to": f"{patches}.positions.weight", "op": "squeeze"},
        "embeddings.patch_embeddings.projection.*": f"{patches}.project.*",
        f"{layer}.layernorm_before.*": f"{attn}.norm.*",
        f"{layer}.attention.attention.query.*": f"{attn}.q.*",
        f"{layer}.attention.attention.key.*": f"{attn}.k.*",
        f"{layer}.attention.attention.value.*": f"{attn}.v.*",
        f"{layer}.attention.output.dense.*": f"{attn}.o.*",
        f"{layer}.layernorm_after.*": f"{mlp}.norm.*",
        f"{layer}.intermediate.dense.*": f"{mlp}.up.*",
        f"{layer}.output.dense.*": f"{mlp}.down.*",
        "layernorm.*": f"{names.final}.*",
        "classifier.*": f"{names.pooler}.*" if names.pooler else "drop",
        "pooler.dense.*": "drop",
    }
