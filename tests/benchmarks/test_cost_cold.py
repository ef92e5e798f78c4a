"""How fast a fresh process counts the largest spec, and what it imports for that."""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COUNT = """
import sys
from compiler.cli.run import run

code = run(["cost", "specs/decoder/gpt3-175b.yaml"])
heavy = {"torch", "numpy", "sympy", "onnx", "onnxruntime", "transformers"}
print(*sorted(heavy & set(sys.modules)), file=sys.stderr, end="")
sys.exit(code)
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
    """Median of five; only on a machine that has a processor to spare for it."""
    if os.getloadavg()[0] > (os.cpu_count() or 1) / 2:
        pytest.skip("the machine is busy with something else")
    seconds = [fresh()[0] for _ in range(5)]
    assert statistics.median(seconds) < 0.5
