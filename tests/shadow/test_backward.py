"""What a training step comes to, held against torch itself on fake tensors, to the byte.

Whoever watches torch's operations makes its engine add gradients up out of place (a tied table, a
residual stream), so the formulas are held against it that way; that they are smaller in place is
held against torch's own allocator, on small models. What kernels need inside of themselves is not
counted: no tensor has it.
"""

import pytest
import torch

from archspec import load
from compiler.backends.torch import torch_code
from compiler.passes.setting import Kernel, Setting
from tests.shadow.samples import Sample, short, whole
from tests.shadow.steps import allocated
from tests.shadow.storages import inputs
from tests.shadow.test_oracle import KERNELS, REAL
from tests.shipped import ROOT

FULL = ["decoder/gpt2.yaml", "encoder/bert-base.yaml", "encoder-decoder/t5-small.yaml"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("path", FULL)
def test_models_at_their_size(path: str, kernel: Kernel) -> None:
    precision, length, source = REAL[path]
    sample, setting = whole(path, 1, length, source), Setting(precision, kernel)
    assert sample.counted_step(setting) == sample.measured_step(setting)


OTHERS = [
    *(f"decoder/{name}" for name in ("deepseek-v2-lite", "gemma2-2b", "gpt-oss-20b", "bloom-560m")),
    *(f"encoder/{name}" for name in ("modernbert-base", "bert-base-pretraining", "esm2-8m")),
    "encoder-decoder/bart-base",
    "history/08-masks-window",
    "history/13-mixture-of-experts",
    "vision/beit-b16",
    "vision/dinov2-small",
    *(f"multimodal/{name}" for name in ("clip-b32", "siglip-b16")),
]
"""Specs with parts that the ones above lack: latent keys, soft caps, sinks, biases of logits,
images at another size, vectors brought to one length."""


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_other_specs(name: str) -> None:
    sample, setting = short(f"specs/{name}.yaml"), Setting("bf16")
    assert sample.counted_step(setting) == sample.measured_step(setting)


def test_a_way_back_that_is_not_known() -> None:
    sample = short("specs/history/04-dot-product-attention.yaml")
    assert sample.memory.one_way == "no weight is in the loss"


SMALL = ["dims.d_model=64", "dims.n_heads=4"]


@pytest.mark.parametrize("source", [24, 200])
def test_keys_of_a_source_are_there_for_all_layers_and_go_with_each(source: int) -> None:
    sizes = {"vocab": 10, "d_model": 16, "n_heads": 2, "n_layers": 7, "d_ff": 16}
    spec = load(ROOT / "specs/encoder-decoder/transformer-base.yaml", set=sizes)
    sample, setting = Sample(spec, 2, 3, source), Setting("fp32")
    assert sample.counted_step(setting) == sample.measured_step(setting)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("layers", [2, 6])
def test_layers_computed_again(layers: int, kernel: Kernel) -> None:
    sizes = [*SMALL, "dims.vocab=40", f"dims.n_layers={layers}"]
    sample = Sample(load(ROOT / "specs/decoder/gpt2.yaml", set=sizes), 2, 64, 64)
    setting = Setting("fp32", kernel, recompute="full")
    assert sample.counted_step(setting) == sample.measured_step(setting)
    assert sample.counted_step(setting) < sample.counted_step(Setting("fp32", kernel))


@pytest.mark.parametrize(
    ("path", "vocab", "factors"),
    [("decoder/gpt2", 300, 0), ("encoder-decoder/transformer-base", 3000, 1)],
)
def test_in_place_is_what_the_allocator_sees(path: str, vocab: int, factors: int) -> None:
    """Nothing watches here; a decoder's gradients of what its encoder says add up in place,
    and those of weights to what a step before has left. Of an embedding that is scaled torch keeps
    the factor, a number of 8 bytes that is no tensor of the model's: at the fullest moment that of
    the source alone."""
    spec = load(ROOT / f"specs/{path}.yaml", set=[*SMALL, f"dims.vocab={vocab}", "dims.n_layers=2"])
    sample, setting = Sample(spec, 2, 16, 24), Setting("fp32")
    given = inputs(torch_code(sample.fused).inputs, sample.sizes, torch.float32)
    assert sample.counted_step(setting, in_place=True) == allocated(sample.module, given)
    added = sample.counted_step(setting, in_place=True, accumulates=True)
    assert added + 8 * factors == allocated(sample.module, given, before=1)
