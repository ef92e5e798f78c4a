"""A report on a device: what it says in words, and its document is the same numbers."""

import json

import pytest

from archspec.source.diagnostic import SpecError
from compiler.passes.setting import Setting
from compiler.report.device.device import GIB
from compiler.report.device.figures import duration
from tests.report.device.places import plain, pooled, report, small


def test_the_document_has_what_a_calculation_by_hand_gives() -> None:
    found = report("decoder/llama3-8b", B=4, T=2048, S=2048).on("h100", "reserve=2GiB").document()
    prefill, decode = found["phases"]
    flops = report("decoder/llama3-8b", B=4, T=2048, S=2048).totals["matmul_flops_causal"]
    assert prefill["flops"] == flops
    assert prefill["at_least_seconds"] == pytest.approx(flops / 989.4e12, rel=1e-8)
    read = decode["weights_bytes"] + 4 * 2048 * 131_072
    assert decode["cache_bytes"] == 4 * 2048 * 131_072
    assert decode["at_least_seconds"] == pytest.approx(read / 3350e9, rel=1e-8)
    assert decode["tokens_per_second_at_most"] == pytest.approx(4 / (read / 3350e9), rel=1e-8)
    assert (prefill["bound"], decode["bound"]) == ("compute", "memory")
    assert found["assumptions"]["reserve_bytes"] == 2 * GIB
    assert found["fits"][0]["room_bytes"] == 78 * GIB
    assert found["ridge_flops_per_byte"]["bf16"] == pytest.approx(295.343, abs=0.001)
    json.dumps(found)


def test_a_model_without_a_cache_has_one_phase() -> None:
    found = report("encoder/bert-base", B=8).on("l4")
    assert [phase.name for phase in found.phases] == ["forward"]
    assert "one step" not in found.text()


def test_images_are_counted_as_inputs() -> None:
    said = report("vision/vit-b16-cls", B=8).on("l4").text()
    assert "inputs a second" in said
    assert "tokens" not in said


def test_a_report_says_its_bounds_and_its_assumptions_apart() -> None:
    text = report("decoder/llama3-8b", B=1, T=2048, S=2048).on("h100").text()
    proved, _, assumed = text.partition("assumed, not proved")
    assert "compute-bound" in proved
    assert "memory-bound" in proved
    assert "ridge at 295 FLOP/byte" in proved
    assert "h.0..32.attn.sdpa" in proved
    for name in ("efficiency", "bandwidth", "reserve", "overhead"):
        assert f"`{name}`" in assumed
    assert "nothing is below" in assumed


def test_markdown_has_the_same_figures() -> None:
    there = report("decoder/llama3-8b", B=1, T=2048, S=2048).on("h100")
    said = there.markdown()
    assert said.startswith("## On NVIDIA H100 SXM 80 GB\n")
    assert f"| never below | {duration(there.phases[0].least)} |" in said
    assert "### Assumed, not proved" in said


def test_markdown_has_the_command_that_prints_it_again() -> None:
    said = report("decoder/llama3-8b", B=2).on("h100", "overhead=0us").markdown()
    asked = "--at B=2,T=8192,S=8192 --format markdown --device h100 --assume overhead=0us`"
    assert asked in said


def test_a_mixture_says_how_its_tokens_are_taken_to_choose() -> None:
    assert "choose experts independently" in report("decoder/mixtral-8x7b").on("h200").text()
    assert "experts" not in report("decoder/gpt2").on("h200").text()


def test_a_precision_without_a_rate_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        small(Setting("fp16"), B=1).on(plain())
    (found,) = caught.value.diagnostics
    assert found.code == "AR0954"
    assert "`bf16` and `fp32`" in found.primary.text


def test_a_model_without_products_has_no_rates_of_them() -> None:
    found = pooled().on(plain())
    assert "has no matrix products" in found.text()
    assert "has no matrix products" in found.markdown()
    document = found.document()
    json.dumps(document, allow_nan=False)
    (phase,) = document["phases"]
    assert (phase["at_least_seconds"], phase["tokens_per_second_at_most"]) == (0, None)
    assert (phase["moved_bytes"] > 0, phase["mfu_at_most"]) == (True, 0)
    assert document["training"]["tokens_per_second_assumed"] is None


def test_words_of_a_device_are_no_markup() -> None:
    words = {"source": "<b>|", "beware": "*all*", "date": "`now`"}
    found = small().on(plain(title="<script> | `x`", **words)).markdown()
    assert r"## On \<script\> \| \`x\`" in found
    assert "<script>" not in found and "<b>" not in found and " *all*" not in found
