"""Encoders of images."""

from typing import TYPE_CHECKING, Any

import torch

from tests.families.case import Case, Given, Values

if TYPE_CHECKING:
    from torch import Tensor, nn

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
         "image_size": 12, "patch_size": 4}  # fmt: skip
VIT = {**SIZES, "intermediate_size": 24}


def pixels(*sides: int) -> Given:
    """Two images."""
    draw = torch.Generator().manual_seed(5)
    return Given({"pixels": torch.randn(2, 3, *(sides or (12, 12)), generator=draw)})


def states(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The hidden states and the pooled vector."""
    found = theirs(values["pixels"])
    return [found.last_hidden_state, found.pooler_output]


def classes(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The logits of a classifier."""
    return [theirs(values["pixels"]).logits]


def image(name: str, family: str, end: str, sizes: dict[str, Any], **more: Any) -> Case:
    """A case of a class of a family: its bare model or a classifier."""
    wanted = states if end == "Model" else classes
    kinds = (f"{family}Config", f"{family}{end}")
    return Case(name, *kinds, sizes, given=pixels, wanted=wanted, dropped="mask_token", **more)


HEAD = "ForImageClassification"
DINO = {**SIZES, "layerscale_value": 0.3}
CASES = [
    image("vit", "ViT", "Model", VIT),
    image("vit-pooled-narrow", "ViT", "Model", {**VIT, "pooler_output_size": 10}),
    image("vit-classes", "ViT", HEAD, {**VIT, "num_labels": 5, "qkv_bias": False}),
    image("deit", "DeiT", "Model", VIT),
    image("deit-classes", "DeiT", HEAD, {**VIT, "num_labels": 3}),
    image("deit-teacher", "DeiT", f"{HEAD}WithTeacher", {**VIT, "num_labels": 4}),
    image("dinov2", "Dinov2", "Model", {**DINO, "drop_path_rate": 0.1}),
    image("dinov2-gated", "Dinov2", "Model", {**DINO, "use_swiglu_ffn": True}),
    image("dinov2-classes", "Dinov2", HEAD, DINO),
    image("dinov2-registers", "Dinov2WithRegisters", "Model", {**DINO, "num_register_tokens": 3}),
    image("dinov2-registers-classes", "Dinov2WithRegisters", HEAD, DINO),
]
