"""The Markdown report: the same bytes everywhere, growth with the length, the exact command."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from archspec.load import load
from compiler.report.costs import CostReport, cost_report
from compiler.report.escape import inline
from compiler.report.markdown import command
from tests.passes.samples import LLAMA, lowered
from tests.report.reports import of, report
from tests.shipped import EVERY

ROOT = Path(__file__).parents[2]
PRINT = """
import sys
from archspec.load import load
from compiler.lower import lower
from compiler.report.costs import cost_report
spec = load(sys.argv[1])
sys.stdout.buffer.write(cost_report(lower(spec), spec, path="x").markdown().encode())
"""


@pytest.mark.parametrize("name", EVERY)
def test_every_table_is_whole(name: str) -> None:
    text = report(name).markdown()
    for block in text.split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) <= 1, rows[:1]
    assert all(line == line.rstrip() for line in text.splitlines())
    assert "\n\n\n" not in text


def test_the_same_bytes_under_other_hash_seeds() -> None:
    path = ROOT / "specs" / "decoder" / "gpt2.yaml"
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT, str(path)],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(found) == 1


def growth(text: str) -> list[list[str]]:
    section = text.partition("## Growth with the length")[2].partition("## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    return [[cell.strip().replace("\u202f", " ") for cell in row.split("|")[1:-1]] for row in rows]


def test_the_matrix_grows_with_the_square_and_the_kernel_with_the_length() -> None:
    points = report("decoder/llama3-8b").scaling
    assert [point.length for point in points] == [1024 * 2**n for n in range(8)]
    for less, more in pairwise(points):
        matrix, fused = "attention_matrix_bytes_total", "attention_fused_bytes_total"
        assert more.totals[matrix] == 4 * less.totals[matrix]
        assert more.totals[fused] == 2 * less.totals[fused]
        assert more.totals["kv_bytes"] == 2 * less.totals["kv_bytes"]
    # 32 layers of 32 heads: 2 bytes a score, 4 a row
    assert points[-1].totals["attention_matrix_bytes_total"] == 32 * 32 * (128 * 1024) ** 2 * 2
    assert points[-1].totals["attention_fused_bytes_total"] == 32 * 32 * 128 * 1024 * 4


def test_growth_marks_what_lies_beyond_the_table_of_positions() -> None:
    rows = growth(report("decoder/gpt2").markdown())
    assert [row[0] for row in rows[:2]] == ["1 024", "2 048 \\*"]
    assert rows[0][1:5] == ["288 MiB", "576 KiB", "36.0 MiB", "292 GFLOP"]
    assert "beyond the learned table" not in report("decoder/llama3-8b").markdown()


def test_a_model_of_fixed_length_has_no_growth() -> None:
    text = report("vision/vit-b16-cls").markdown()
    assert growth(text) == []
    assert "nothing grows but with the batch" in text


def test_the_command_prints_the_same_report() -> None:
    spec = load(LLAMA, set=["dims.layers=5"])
    found = cost_report(
        lowered(spec), spec, {"B": 2, "S": 9}, path="a b.yaml", settings=["dims.layers=5"]
    )
    assert isinstance(found, CostReport)
    assert command(found) == (
        "archc cost 'a b.yaml' --at B=2,T=9,S=9 --set dims.layers=5 --format markdown"
    )
    assert command(found) in found.markdown()


def test_kernels_are_named_with_reasons() -> None:
    for name, words in {
        "decoder/llama3-8b": (
            "grouped queries read the keys",
            "given as a matrix only with a cache",
        ),
        "encoder/bert-base": ("padding needs a mask", "a mask of B·T booleans"),
        "vision/vit-b16-cls": ("nothing is masked",),
    }.items():
        text = report(name).markdown()
        assert all(word in text for word in words), name


def test_a_name_is_never_markup() -> None:
    name = "a-b|c `d` <script> **x** [y](z)\n# no"
    assert inline(name).splitlines() == [
        "a-b\\|c \\`d\\` \\<script\\> \\*\\*x\\*\\* \\[y\\](z) \\# no"
    ]
    text = of(load({**LLAMA, "name": name})).markdown()
    assert text.splitlines()[0] == f"# What {inline(name)} costs"
    assert "<script>" not in text.replace("\\<script\\>", "")


def test_assumptions_fit_the_model() -> None:
    decoder, encoder = (report(name).markdown() for name in ("decoder/gpt2", "encoder/bert-base"))
    assert "The cache holds" in decoder and "The cache holds" not in encoder
    assert "`inputs.ids.max` by default" in decoder
    assert "(`inputs.ids.max`)" in encoder
    asked = report("decoder/gpt2", T=8).markdown()
    assert "Counted at B = 1, T = 8, S = 8." in asked
