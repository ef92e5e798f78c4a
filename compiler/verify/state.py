"""Weights of a checkpoint as a state dict for a generated module."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from compiler.importers.lazy import Lazy

if TYPE_CHECKING:
    from torch import Tensor


def state_of(tensors: Mapping[str, Lazy]) -> "dict[str, Tensor]":
    """The numbers of all tensors in float32, by the names of `model.py`."""
    import numpy as np
    import torch

    return {
        name: torch.from_numpy(np.array(tensor.read(), np.float32))
        for name, tensor in tensors.items()
    }
