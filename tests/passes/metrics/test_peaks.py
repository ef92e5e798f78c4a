"""Totals of all that is in memory at once, by laws; bytes of a step itself: `tests/shadow`."""

from dataclasses import replace

import pytest

from compiler.passes.metrics import exact, formulas, totals
from compiler.passes.setting import CHOICES, Setting
from tests.report.reports import report

NAMES = ["decoder/gpt2", "encoder/bert-base", "vision/vit-b16-cls"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("optimizer", CHOICES["optimizer"])
def test_states_are_there_all_the_time(name: str, optimizer: str) -> None:
    found = report(name)
    setting = Setting(optimizer=optimizer)  # type: ignore[arg-type]  # one of its words
    figures = totals(found.costs, found.at, setting)
    always = figures["training_states_bytes"] - figures["gradients_bytes"]
    assert figures["training_peak_bytes"] > always
    plain = totals(found.costs, found.at, Setting())
    held = [each["training_peak_bytes"] - each["optimizer_bytes"] for each in (figures, plain)]
    assert held[0] == held[1]


@pytest.mark.parametrize("name", NAMES)
def test_more_sequences_need_more(name: str) -> None:
    found = report(name)
    for metric in ("training_peak_bytes", "inference_peak_bytes"):
        size = formulas(found.costs)[metric]
        few, many = (exact(found.costs, size, {**found.at, "B": batch}) for batch in (1, 64))
        assert few < many


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kernel", CHOICES["kernel"])
def test_gradients_that_are_there_already_are_the_states(name: str, kernel: str) -> None:
    """A step that adds to them needs no more beside them than one that makes them."""
    found = report(name)
    setting = Setting(kernel=kernel)  # type: ignore[arg-type]  # one of its words
    figures = totals(found.costs, found.at, setting)
    needed = figures["training_states_bytes"] + figures["training_tensors_bytes"]
    spared = needed - figures["training_peak_bytes"]
    assert 0 <= spared <= figures["gradients_bytes"]
    assert figures["training_tensors_bytes"] >= figures["saved_bytes"]


def test_forgetting_layers_spares_what_they_keep() -> None:
    found = report("decoder/gpt2")
    at = {**found.at, "B": 64}
    none, full = (
        totals(found.costs, at, replace(Setting(), recompute=how))["training_peak_bytes"]
        for how in ("none", "full")
    )
    assert full < none


@pytest.mark.parametrize("name", NAMES)
def test_inference_has_weights_cache_and_tensors(name: str) -> None:
    figures = report(name).totals
    cache = figures.get("kv_held_bytes", figures["kv_bytes"])
    whole = figures["weights_bytes"] + cache + figures["forward_peak_bytes"]
    assert figures["inference_peak_bytes"] == whole


def test_recurrences_are_trained_and_what_has_no_weight_is_not() -> None:
    figures = report("history/14-primitives-recurrence").totals
    assert figures["training_peak_bytes"] > figures["training_states_bytes"]
    figures = report("history/04-dot-product-attention").totals
    assert "training_peak_bytes" not in figures
    assert "inference_peak_bytes" in figures
