"""The report as a whole: text, Markdown and JSON say the same."""

import copy
import json
import pickle
import re

import pytest

from archspec.load import load
from compiler.passes.metrics import METRICS
from compiler.report.costs import CostReport, cost_report
from tests.passes.samples import LLAMA, SPECS, lowered, named
from tests.report.reports import of, report, with_budget
from tests.shipped import EVERY


def test_the_first_lines_are_what_a_reviewer_asks() -> None:
    text = report("decoder/gpt2").text().replace("\u202f", " ")
    head, _, rest = text.partition("\n\n")
    assert head == "gpt2 at B=1, T=1024, S=1024"
    lines = dict(
        re.split(r" {2,}", line, maxsplit=1) for line in rest.split("\n\n")[0].splitlines()
    )
    assert lines["parameters"].startswith("124 M")
    assert lines["forward"].startswith("292 GFLOP  146 GMAC, 272 GFLOP over the pairs")
    assert lines["cache"].startswith("36.0 KiB")
    assert lines["attention matrix"].startswith("24.0 MiB")
    assert lines["fused attention"].startswith("48.0 KiB")


def test_no_line_of_the_table_is_wider_than_a_terminal() -> None:
    for name in EVERY:
        table = report(name).text().split("\n\n")[2].splitlines()
        assert max(map(len, table)) <= 104


def test_a_model_without_a_cache_says_nothing_of_one() -> None:
    assert "cache" not in report("encoder/bert-base").text()
    assert "fused" not in report_of_an_mlp().text()


def report_of_an_mlp() -> CostReport:
    spec = {
        "name": "mlp",
        "inputs": {"x": {"features": ["T", 8]}},
        "graph": {"y": {"linear": {"dim": 4}, "in": "x"}},
    }
    return of(load(spec))


@pytest.mark.parametrize("name", EVERY)
def test_the_document_is_exact_and_sorted_json(name: str) -> None:
    found = report(name)
    document, costs = found.document(formulas=True), found.costs
    again = json.loads(json.dumps(document, sort_keys=True))
    assert again["totals"] == found.totals
    told = {n for n, each in METRICS.items() if each.present(costs) and each.tells(costs)}
    assert set(again["totals"]) == told
    assert all(isinstance(value, int) for value in again["totals"].values())
    assert again["coverage"]["operators"] == again["coverage"]["counted"] == len(again["rows"])
    assert sum(row["parameters"] for row in again["rows"]) == again["totals"]["parameters"]
    assert sum(row["matmul_flops"] for row in again["rows"]) == again["totals"]["matmul_flops"]


def test_bytes_in_two_precisions() -> None:
    precisions = report("decoder/llama3-8b").document()["precisions"]
    assert precisions["bf16"]["kv_bytes_per_token"] == 131_072
    assert precisions["fp32"]["weights_bytes"] == 4 * 8_030_261_248
    for key in ("attention_fused_bytes_layer", "attention_fused_bytes_total"):
        assert precisions["fp32"][key] == precisions["bf16"][key]


def test_formulas_are_there_only_when_asked_for() -> None:
    found = report("decoder/gpt2")
    assert "formulas" not in found.document()
    assert found.document(formulas=True)["formulas"]["kv_bytes"] == "4·B·H·K·L·S"
    assert "4·B·H·K·L·S" not in found.text()
    assert "4·B·H·K·L·S" in found.text(formulas=True)


def test_the_path_shown_is_the_one_given() -> None:
    spec = named("decoder/gpt2")
    found = cost_report(lowered(spec), spec, path="specs/decoder/gpt2.yaml")
    assert isinstance(found, CostReport)
    assert str(SPECS) not in found.markdown()
    assert str(SPECS) not in json.dumps(found.document())
    assert "archc cost specs/decoder/gpt2.yaml --format markdown" in found.markdown()


def test_a_length_that_makes_no_sense_comes_back_as_a_diagnostic() -> None:
    spec = load(LLAMA)
    found = cost_report(lowered(spec), spec, {"T": 0})
    assert isinstance(found, tuple)
    assert [each.code for each in found] == ["AR0912"]


def test_the_answer_is_no_only_over_budget() -> None:
    assert report("decoder/gpt2").ok
    assert with_budget({"parameters": 10**9}).ok
    assert not with_budget({"parameters": 1}).ok


def test_rows_so_short_that_a_sum_is_no_less_are_fused_all_the_same() -> None:
    """At one position a score takes two bytes, and the sum that a kernel keeps four."""
    text = report("decoder/gpt2", T=1).text()
    assert "no less, for a row of scores is as short as its sum" in text
    assert "no kernel fuses it" not in text
    assert "no kernel fuses it" in report("history/02-bahdanau-final").text()


def test_answers_go_to_other_processes() -> None:
    """As they are before anything is counted and behind it."""
    found = report("decoder/gpt2")
    for _ in range(2):
        again = pickle.loads(pickle.dumps(found))
        assert again.totals["training_peak_bytes"] == found.totals["training_peak_bytes"]
        assert copy.deepcopy(found).totals == found.totals
    for answer in (found.on("h100"), found.parallel(tp=2, pp=3)):
        assert pickle.loads(pickle.dumps(answer)).document() == answer.document()
