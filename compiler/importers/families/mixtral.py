"""Mixtral's files as published for transformers."""

from typing import Any

from compiler.importers.families.llama import llama
from compiler.importers.names import Names


def mixtral(names: Names) -> dict[str, Any]:
    """Rename rules for Mixtral: Llama's, with experts in the place of the feed-forward network."""
    moe = f"{names.stack}.{{i}}.{names.moe}"
    layer = "layers.{i}.block_sparse_moe"
    rules = {theirs: ours for theirs, ours in llama(names).items() if ".mlp." not in theirs}
    return {
        **rules,
        "layers.{i}.post_attention_layernorm.*": f"{moe}.norm.*",
        f"{layer}.gate.weight": f"{moe}.router.weight",
        f"{layer}.experts.{{j}}.w1.weight": f"{moe}.experts.{{j}}.gate.weight",
        f"{layer}.experts.{{j}}.w3.weight": f"{moe}.experts.{{j}}.up.weight",
        f"{layer}.experts.{{j}}.w2.weight": f"{moe}.experts.{{j}}.down.weight",
    }
