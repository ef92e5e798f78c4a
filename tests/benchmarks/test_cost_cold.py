"""How fast a fresh process counts the largest spec, and what it imports for that."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COUNT = """
import sys
from archspec.load import load
from compiler.lower import lower
from compiler.passes.fuse import fuse
from compiler.report.costs import cost_report

spec = load("specs/decoder/gpt3-175b.yaml")
print(cost_report(fuse(lower(spec)), spec).text(), end="")
heavy = {"torch", "numpy", "sympy", "onnx", "onnxruntime", "transformers", "rich"}
print(*sorted(heavy & set(sys.modules)), file=sys.stderr, end="")
"""


def fresh() -> tuple[float, str, str]:
    """Seconds, stdout and stderr of one process that counts."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", COUNT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return time.perf_counter() - start, done.stdout, done.stderr


def test_counting_imports_nothing_heavy() -> None:
    _, text, heavy = fresh()
    assert "175" in text
    assert heavy == ""


@pytest.mark.slow
def test_half_a_second_is_enough() -> None:
    seconds = [fresh()[0] for _ in range(5)]
    assert statistics.median(seconds) < 0.5
