"""Greedy decoding with the cache of a generated model, all tokens real."""

import torch
from torch import Tensor, nn

from compiler.verify.module import call


def greedy(model: nn.Module, ids: Tensor, length: int, kv: tuple[int, ...]) -> Tensor:
    """`ids` [B, T] continued to `length`; `kv` is the shape of the cache."""
    cache = torch.zeros(kv)
    token, pos = ids, 0
    with torch.no_grad():
        while ids.shape[1] < length:
            mask = torch.ones_like(ids, dtype=torch.bool)
            values = {"ids": token, "ids_mask": mask, "kv": cache, "pos": pos}
            logits = call(model, values)[0]
            pos = ids.shape[1]
            token = logits[:, -1:].argmax(dim=-1)
            ids = torch.cat((ids, token), dim=1)
    return ids
