"""A training step: published products of GPT-2, and utilisation as papers count it."""

import pytest

from compiler.passes.setting import Setting
from compiler.report.device.assumed import Assumed
from compiler.report.device.device import Device
from compiler.report.device.step import step
from tests.report.device.places import plain, report

HALF = Assumed(0.5, 1.0, 0, 0.0)
FORWARD = 291_648_307_200
GPT2 = {"eager": 874_944_921_600, "fused": 894_272_274_432}
"""FLOPs of a forward and backward pass at 1 x 1024: three times the forward where products are
written out; a fused attention computes its scores once more."""


@pytest.mark.parametrize("kernel", ["eager", "fused"])
def test_products_of_a_step_of_gpt2(kernel: str) -> None:
    setting = Setting(kernel="eager" if kernel == "eager" else "fused")
    found = step(report("decoder/gpt2", setting, B=1, T=1024, S=1024), plain(), HALF)
    assert found.asked == 3 * FORWARD == GPT2["eager"]
    assert found.run == GPT2[kernel]
    assert found.seconds == pytest.approx(2 * GPT2[kernel] / 10**12)
    assert found.tokens == 1024


def test_what_is_computed_again_is_no_use_of_the_model() -> None:
    """At half of the rate half is used where nothing is computed twice, 3/4 of it at most where
    every layer is."""
    plainly = step(report("decoder/gpt2", Setting(kernel="eager"), B=1), plain(), HALF)
    assert plainly.utilisation(plainly.seconds) == pytest.approx(0.5)
    again = Setting(kernel="eager", recompute="full")
    twice = step(report("decoder/gpt2", again, B=1), plain(), HALF)
    assert 0.375 < twice.utilisation(twice.seconds) < 0.5
    assert twice.utilisation(twice.least) == pytest.approx(twice.asked / twice.run)


def test_training_gpt3() -> None:
    """Brown et al. 2020, table D.1: 3.14e23 FLOPs for 300 billion tokens of the 175B, without
    attention; its products with positions add 3 %."""
    chip = Device("chip", "a chip", 1, 1, {"bf16": 10**15})
    found = step(report("decoder/gpt3-175b", B=1, T=2048, S=2048), chip, HALF)
    assert 300e9 * found.asked / found.tokens == pytest.approx(3.14e23, rel=0.05)
