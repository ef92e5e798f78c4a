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
from compiler.shadow import How, step_held
from tests.shadow.samples import TYPES, Sample, short, whole
from tests.shadow.steps import allocated, step_peak
from tests.shadow.storages import inputs
from tests.shadow.test_oracle import KERNELS, REAL
from tests.shipped import ROOT


def counted(
    sample: Sample, setting: Setting, *, in_place: bool = False, accumulates: bool = False
) -> int:
    """What the formula comes to; `in_place` as users train, else as the oracle does."""
    source = sample.memory.source
    eager = setting.kernel == "eager"
    assert setting.precision != "fp16"
    how = How(
        setting.precision,
        eager=eager,
        recompute=setting.forgets,
        in_place=in_place,
        accumulates=accumulates,
    )
    found, even = step_held(source, sample.fused.key, how)
    if not even and sample.batch == 1:
        found, _ = step_held(source, sample.fused.key, how, batch=1)
    return sample.at(found)


def measured(sample: Sample, setting: Setting) -> int:
    kind = TYPES[setting.precision]
    given = inputs(torch_code(sample.fused).inputs, sample.sizes, kind)
    eager, forgets = setting.kernel == "eager", setting.forgets == "full"
    classes = sample.memory.source.classes
    return step_peak(sample.module, given, kind, classes=classes, eager=eager, forgets=forgets)


FULL = ["decoder/gpt2.yaml", "encoder/bert-base.yaml", "encoder-decoder/t5-small.yaml"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("path", FULL)
def test_models_at_their_size(path: str, kernel: Kernel) -> None:
    precision, length, source = REAL[path]
    sample, setting = whole(path, 1, length, source), Setting(precision, kernel)
    assert counted(sample, setting) == measured(sample, setting)


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
ONE_WAY = {
    "history/04-dot-product-attention": "no weight is in the loss",
    "history/14-primitives-recurrence": "nothing counts the way back through nn.RNN",
    "history/02-bahdanau-zeros": "nothing counts the way back through nn.GRU",
}
"""Without weights, and with recurrences: what is said of a way back that nothing counts."""


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_other_specs(name: str) -> None:
    sample, setting = short(f"specs/{name}.yaml"), Setting("bf16")
    assert counted(sample, setting) == measured(sample, setting)


@pytest.mark.parametrize("name", ONE_WAY)
def test_a_way_back_that_is_not_known(name: str) -> None:
    assert short(f"specs/{name}.yaml").memory.one_way == ONE_WAY[name]


SMALL = ["dims.d_model=64", "dims.n_heads=4"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("layers", [2, 6])
def test_layers_computed_again(layers: int, kernel: Kernel) -> None:
    sizes = [*SMALL, "dims.vocab=40", f"dims.n_layers={layers}"]
    sample = Sample(load(ROOT / "specs/decoder/gpt2.yaml", set=sizes), 2, 64, 64)
    setting = Setting("fp32", kernel, recompute="full")
    assert counted(sample, setting) == measured(sample, setting)
    assert counted(sample, setting) < counted(sample, Setting("fp32", kernel))


@pytest.mark.parametrize(
    ("path", "vocab", "factors"),
    [("decoder/gpt2", 300, 0), ("encoder-decoder/transformer-base", 3000, 2)],
)
def test_in_place_is_what_the_allocator_sees(path: str, vocab: int, factors: int) -> None:
    """Nothing watches here; a decoder's gradients of what its encoder says add up in place,
    and those of weights to what a step before has left. Of an embedding that is scaled torch keeps
    the factor, a number of 8 bytes that is no tensor of the model's."""
    spec = load(ROOT / f"specs/{path}.yaml", set=[*SMALL, f"dims.vocab={vocab}", "dims.n_layers=2"])
    sample, setting = Sample(spec, 2, 16, 24), Setting("fp32")
    given = inputs(torch_code(sample.fused).inputs, sample.sizes, torch.float32)
    assert counted(sample, setting, in_place=True) == allocated(sample.module, given)
    added = counted(sample, setting, in_place=True, accumulates=True)
    assert added + 8 * factors == allocated(sample.module, given, before=1)
