"""The operators of single nodes of a graph, against torch's own functions."""

from collections.abc import Mapping
from typing import Any

import torch
from torch.nn import functional

import compiler.ops as ops
from compiler.ir.size import Size, letter

B, T, S = letter("B"), letter("T"), letter("S")
Numbers = Mapping[str, torch.Tensor]
Written = tuple[Any, Mapping[str, tuple[Size, ...]], Any]
"""An operator, the shapes of its inputs by port, and what it computes."""


def _resized(grid: tuple[int, int], antialias: bool) -> Written:
    def oracle(n: Numbers) -> torch.Tensor:
        image = n["weight"][2:].T.reshape(1, -1, 3, 5)
        found = functional.interpolate(
            image, grid, mode="bicubic", align_corners=False, antialias=antialias
        )
        return torch.cat((n["weight"][:2], found[0].flatten(1).T))

    operator = ops.ResizedPositions(2 + 15, 6, (3, 5), grid, 2, antialias)
    return operator, {"x": (B, 2 + grid[0] * grid[1], 6)}, oracle


def _mean_from_third(n: Numbers) -> torch.Tensor:
    kept = n["x"][:, 3:]
    return kept.mean(1) if kept.shape[1] else torch.zeros_like(n["x"][:, 0])


WRITTEN: Mapping[str, Written] = {
    "mean_of_none": (ops.MeanPool(3, maybe_none=True), {"x": (B, T, 6)}, _mean_from_third),
    "probe": (
        ops.Probe(2),
        {"x": (B, T, 6)},
        lambda n: torch.stack([n["weight"] for _ in n["x"]]),
    ),
    "contrast": (
        ops.Contrast(),
        {"x": (B, 6), "y": (B, 6)},
        lambda n: (
            functional.cosine_similarity(n["x"][:, None], n["y"], dim=2) * n["temperature"].exp()
        ),
    ),
    "contrast_bias": (
        ops.Contrast(0.5, bias=True),
        {"x": (B, 6), "y": (B, 6)},
        lambda n: functional.cosine_similarity(n["x"][:, None], n["y"], dim=2) * 2 + n["bias"],
    ),
    "all_real": (
        ops.AllReal(),
        {"x": (B, T, 6)},
        lambda n: torch.ones(n["x"].shape[:2], dtype=torch.bool),
    ),
    "frame_conv": (
        ops.FrameConv(5, 6, 3, 4, 2, 1, 1, bias=True),
        {"x": (B, 6, 8)},
        lambda n: functional.conv1d(n["x"], n["weight"], n["bias"], stride=2, padding=1),
    ),
    "frame_conv_groups": (
        ops.FrameConv(4, 3, 2, 6, 1, 0, 0, 2, groups=2),
        {"x": (B, 6, 8)},
        lambda n: functional.conv1d(n["x"], n["weight"], dilation=2, groups=2),
    ),
    "join": (
        ops.Join(12),
        {"x": (B, 5, 6), "y": (B, 7, 6)},
        lambda n: torch.cat((n["x"], n["y"]), dim=1),
    ),
    "join_masks": (
        ops.JoinMasks(12),
        {"x": (B, 5), "y": (B, 7)},
        lambda n: torch.cat((n["x"], n["y"]), dim=1),
    ),
    "strided_mask": (ops.StridedMask(2, 1, 2), {"real": (B, 5)}, lambda n: n["real"][:, 1::2]),
    "swap": (ops.Swap(), {"x": (B, T, 6)}, lambda n: n["x"].mT),
    "softcap": (
        ops.Softcap(0.7),
        {"x": (B, T, 6)},
        lambda n: (n["x"].double() / 0.7).tanh().float() * 0.7,
    ),
    "drop_path": (ops.DropPath(0.5), {"x": (B, T, 6)}, lambda n: n["x"]),
    "layer_norm_offset": (
        ops.LayerNorm(1e-3, unit_offset=True),
        {"x": (B, T, 6)},
        lambda n: functional.layer_norm(n["x"], (6,), 1 + n["weight"], n["bias"], 1e-3),
    ),
    "insert": (
        ops.Insert(2, 10, 3),
        {"x": (B, 8, 6)},
        lambda n: torch.stack([torch.cat((x[:3], n["weight"], x[3:])) for x in n["x"]]),
    ),
    "resized_larger": _resized((7, 6), antialias=False),
    "resized_smaller": _resized((2, 3), antialias=False),
    "resized_smoothly_larger": _resized((7, 6), antialias=True),
    "resized_smoothly_smaller": _resized((2, 3), antialias=True),
}
