"""Full-size models on the meta device against what was published about them."""

import pytest
import torch

from compiler.verify.counts import matmul_flops
from compiler.verify.examples import Example, example
from compiler.verify.module import build
from tests.generated.samples import PATHS, whole

PARAMETERS = {
    "specs/decoder/gpt2.yaml": 124_439_808,
    "specs/decoder/gpt3-175b.yaml": 174_604_259_328,
    "specs/decoder/llama3-8b.yaml": 8_030_261_248,
    "specs/decoder/llama31-8b.yaml": 8_030_261_248,
    "specs/decoder/mixtral-8x7b.yaml": 46_702_792_704,
    "specs/encoder/bert-base.yaml": 109_482_240,
    "specs/encoder/minilm-l6.yaml": 22_713_216,
    "specs/encoder-decoder/transformer-base.yaml": 63_082_496,
    "specs/encoder-decoder/transformer-big.yaml": 214_245_376,
    "specs/history/13-mixture-of-experts.yaml": 512 * 128
    + 4 * (4 * 128**2 + 2 * 128 + 128 * 8 + 8 * 2 * 128 * 512)
    + 128,
    "specs/vision/vit-b16-cls.yaml": 86_567_656,
    "specs/vision/vit-b16-mean.yaml": 86_567_656 - 2 * 768,
}
"""The papers' and torchvision's numbers; ViT without its class token and that token's position."""

FLOPS = {
    "specs/decoder/gpt2.yaml": (1024, 291_648_307_200),
    "specs/decoder/mixtral-8x7b.yaml": (2048, 54_417_235_640_320),
    "specs/encoder/bert-base.yaml": (128, 22_348_431_360),
    "specs/vision/vit-b16-cls.yaml": (1, 35_127_656_448),
}
"""Positions, and FLOPs of one row's matrix products as measured on transformers' classes."""


def test_what_is_published_is_held_against_it() -> None:
    """History's first forms were published without a count."""
    assert {path for path in PATHS if "/history/" not in path} <= set(PARAMETERS)


@pytest.mark.parametrize("path", PARAMETERS)
def test_parameters(path: str) -> None:
    model = build(whole(path).generated, device="meta")
    assert sum(parameter.numel() for parameter in model.parameters()) == PARAMETERS[path]
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}


@pytest.mark.parametrize("path", FLOPS)
def test_matrix_products(path: str) -> None:
    made = whole(path)
    length, flops = FLOPS[path]
    given = example(made.spec, made.program, 1, length)
    on_meta = Example({n: v.to("meta") for n, v in given.values.items()}, given.lengths)
    model = build(made.generated, device="meta")
    if "GroupedLinear" in made.generated.text:
        model.to(torch.bfloat16)  # the only type whose grouped products torch traces
    assert matmul_flops(model, on_meta) == flops
