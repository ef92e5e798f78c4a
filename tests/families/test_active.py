"""Published mixtures of experts: the parameters that a token makes use of, as their makers say."""

from pathlib import Path

import pytest

import archspec
from compiler.importers.imported import Imported, import_config
from compiler.report.costs import CostReport, cost_report
from tests.passes.samples import lowered

CONFIGS = Path(__file__).parent / "published"
BILLIONS = {
    "gpt-oss-20b-bf16": 3.61,
    "mixtral-8x7b-v0.1": 12.9,
    "olmoe-1b-7b-0924": 1.3,
    "qwen1.5-moe-a2.7b": 2.7,
    "qwen3-30b-a3b": 3.3,
}
"""Model cards and papers, rounded or cut; gpt-oss leaves the table of the embedding out."""


@pytest.mark.parametrize("name", BILLIONS)
def test_the_published_number_of_active_parameters(name: str) -> None:
    found = import_config(CONFIGS / f"{name}.json")
    assert isinstance(found, Imported), found
    spec = archspec.load(found.spec)
    report = cost_report(lowered(spec), spec, {"B": 1, "T": 1})
    assert isinstance(report, CostReport), report
    active = report.totals["parameters_active"]
    if name.startswith("gpt-oss"):
        active -= report.totals["parameters_embedding"]
    digits = len(str(BILLIONS[name]).partition(".")[2])
    step = 10 ** (9 - digits)
    said = round(BILLIONS[name] * 10**digits)
    assert said in (active // step, (active + step // 2) // step)


def test_what_no_gradient_reaches_is_counted_apart() -> None:
    """DeepSeek-V3's files hold 671,026,419,200 numbers: the weights, and a correction for each of
    256 experts in 58 routers, which balances their load."""
    found = import_config(CONFIGS / "deepseek-v3.json")
    assert isinstance(found, Imported), found
    spec = archspec.load(found.spec)
    report = cost_report(lowered(spec), spec, {"B": 1, "T": 1})
    assert isinstance(report, CostReport), report
    assert report.totals["parameters_frozen"] == 58 * 256
    assert report.totals["parameters"] + report.totals["parameters_frozen"] == 671_026_419_200
    (explained,) = report.explain("h.60.mlp.router.parameters_frozen")
    assert explained.value == 256
