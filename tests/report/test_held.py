"""Rounded weights in closed form: what a model takes to keep and, a step, to read."""

import re
from typing import Final

import pytest

from compiler.answer import CannotAnswer
from compiler.passes.choosing import chosen
from compiler.passes.metrics import exact
from compiler.passes.metrics.traffic import weights_bytes
from compiler.passes.setting import Setting
from compiler.report.costs import CostReport, cost_report
from compiler.report.explain.conventions import ROUNDED
from compiler.report.numbers import grouped
from tests.passes.samples import lowered, named
from tests.report.device.places import plain

BITS: Final = {"int4": 4, "int8": 8}


def report(name: str, setting: Setting, **at: int) -> CostReport:
    spec = named(name)
    found = cost_report(lowered(spec), spec, at, setting=setting)
    assert isinstance(found, CostReport), found
    return found


def an_element(said: str, floats: int) -> float:
    """Bytes of a rounded number where all blocks are whole: its bits, a scale a block and a code of
    zero."""
    kind, *more = said.split(":")
    block = next((int(word) for word in more if word.isdigit()), 128)
    zero = BITS[kind] if "zero-point" in more else 0
    return BITS[kind] / 8 + (floats + zero / 8) / block


@pytest.mark.parametrize("target", ["cuda", "cpu"])
@pytest.mark.parametrize(
    "said", ["int4", "int8", "int4:32", "int8:64:zero-point", "int4:32:fitted"]
)
def test_a_llama_in_closed_form(said: str, target: str) -> None:
    V, D, L, M, keys = 128_256, 4096, 32, 14_336, 1024
    floats = 2 if target == "cuda" else 4
    layers = L * (2 * D * D + 2 * keys * D + 3 * D * M)
    gains = floats * (2 * L + 1) * D
    each = an_element(said, floats)
    at = {"B": 3, "T": 1, "S": 1000}
    found = report("decoder/llama3-8b", chosen(said, target), **at).totals
    assert found["weights_bytes"] == each * (layers + 2 * V * D) + gains
    assert found["decode_weights_bytes"] == each * (layers + V * D + 3 * D) + gains


def test_a_mixture_reads_the_experts_that_are_chosen() -> None:
    V, D, L, M, E, A = 32_000, 4096, 32, 14_336, 8, 2
    found = report("decoder/mixtral-8x7b", chosen("int8"), B=1, T=1, S=100).totals
    each = an_element("int8", 2)
    attention = 2 * D * D + 2 * 1024 * D
    router, gains = 2 * E * D, 2 * 2 * D  # in bf16: the one is exact, the others are small
    wanted = L * (each * (attention + A * 3 * D * M) + router + gains) + each * (V * D + D) + 2 * D
    assert found["decode_weights_bytes"] == wanted


@pytest.mark.parametrize("path", ["src.tokens", "tgt.tokens"])
def test_a_table_of_another_node_is_read_by_the_row_as_it_is_held_there(path: str) -> None:
    """Both vocabularies of BART are one table, which the second graph is called with."""
    found = report("encoder-decoder/bart-base", chosen("int4"), B=2, S=7, T=5)
    rows = {row.path: row for row in found.costs.rows}
    length = {"src.tokens": 7, "tgt.tokens": 5}[path]
    read = exact(found.costs, weights_bytes(rows[path], found.setting), found.at)
    assert read == an_element("int4", 2) * 2 * length * 768


def test_activations_caches_and_work_are_as_they_were() -> None:
    for said, target, floats in (("int4", "cuda", "bf16"), ("int8", "cpu", "fp32")):
        rounded, before = (
            report("decoder/gpt2", setting, B=2).totals
            for setting in (chosen(said, target), chosen(floats))
        )
        less = {name for name in before if rounded[name] != before[name]}
        assert less == {
            *("weights_bytes", "read_bytes", "decode_read_bytes", "decode_weights_bytes"),
            "inference_peak_bytes",
        }
        saved = before["weights_bytes"] - rounded["weights_bytes"]
        assert before["inference_peak_bytes"] - rounded["inference_peak_bytes"] == saved
        assert all(rounded[name] < before[name] for name in less)


def test_rows_add_up_to_the_totals() -> None:
    found = report("decoder/gpt-oss-20b", chosen("int4:32"), B=1, T=1, S=50)
    for name in ("weights_bytes", "read_bytes"):
        (told,) = found.explain(name)
        assert sum(part.value for part in told.parts) == told.value == found.totals[name]
    (told,) = found.explain("weights_bytes")
    assert told.convention == ROUNDED
    assert re.search(r"weights int4:32:fitted, target cuda", told.text())


def test_a_step_on_a_device_takes_less_where_weights_are_read() -> None:
    device = plain()
    whole, rounded = (
        report("decoder/llama3-8b", chosen(said), B=1, T=128, S=128).on(device).phases
        for said in ("bf16", "int4")
    )
    assert rounded[1].weights < 0.27 * whole[1].weights
    assert rounded[1].least < whole[1].least
    assert rounded[0].flops == whole[0].flops and rounded[1].flops == whole[1].flops


def test_training_is_in_floats() -> None:
    rounded, before = (report("decoder/gpt2", chosen(said), B=2) for said in ("int4", "bf16"))
    assert rounded.totals["training_peak_bytes"] == before.totals["training_peak_bytes"]
    told = rounded.text(training=True)
    assert "training in bf16 with adamw" in told
    assert grouped(before.totals["weights_bytes"]) in told
    with pytest.raises(CannotAnswer, match="in floats"):
        rounded.parallel(dp=2)
