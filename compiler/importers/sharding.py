"""Tensors divided among files as publishers do: one file, or numbered shards with an index."""

import json
from collections.abc import Mapping
from typing import Final

from compiler.importers.lazy import Lazy

SINGLE: Final = "model.safetensors"
INDEX: Final = "model.safetensors.index.json"

Shards = Mapping[str, Mapping[str, Lazy]]
"""Tensors by the file that holds them and their names."""


def sharded(tensors: Mapping[str, Lazy], most: int) -> Shards:
    """`tensors`, in their order, in files of at most `most` bytes; a larger one stands alone."""
    groups: list[dict[str, Lazy]] = [{}]
    filled = 0
    for name, tensor in tensors.items():
        if groups[-1] and filled + tensor.nbytes > most:
            groups.append({})
            filled = 0
        groups[-1][name] = tensor
        filled += tensor.nbytes
    if len(groups) == 1:
        return {SINGLE: groups[0]}
    count = len(groups)
    return {f"model-{n:05}-of-{count:05}.safetensors": held for n, held in enumerate(groups, 1)}


def index_text(shards: Shards) -> str:
    """The index of several shards: which file holds each tensor, and their bytes together."""
    places = {name: file for file, held in shards.items() for name in held}
    size = sum(tensor.nbytes for held in shards.values() for tensor in held.values())
    said = {"metadata": {"total_size": size}, "weight_map": dict(sorted(places.items()))}
    return json.dumps(said, indent=2) + "\n"
