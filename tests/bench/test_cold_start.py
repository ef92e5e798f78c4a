"""How long a fresh process takes to answer, and what it loads for that.

Times are taken with `--benchmark-enable` alone; otherwise each command runs once for its answer.
"""

import subprocess
import sys
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.bench.cold_start import LARGE
from tests.bench.process import ARCHC, ROOT, surroundings

SPEC = "specs/decoder/gpt3-175b.yaml"
MOST_BYTES = 120 * 10**6
HEAVY = {"torch", "onnx", "onnx_ir", "onnxruntime", "transformers", "sympy"}
QUESTIONS = {
    "help": (["--help"], 0.2, "cost"),
    "check": (["check", SPEC], 0.5, ""),
    "cost": (["cost", SPEC], 0.5, "175"),
    "cost-json": (["cost", SPEC, "--json"], 0.5, "174604259328"),
}
"""Words of the command line, the bar in seconds, and what the answer must say."""

LOADED = """
import contextlib, io, sys
from compiler.cli.run import run
with contextlib.redirect_stdout(io.StringIO()):
    code = run(sys.argv[1:])
assert code == 0, code
standard = set(sys.stdlib_module_names)
names = {name.partition(".")[0] for name in sys.modules}
print(*sorted(name for name in names - standard if not name.startswith("_")))
"""

MEASURE = """
import sys
from tests.bench.process import fresh
print(fresh(sys.argv[1:]).peak_bytes)
"""


def said_by(command: list[str]) -> str:
    """What a command says in a fresh process."""
    done = subprocess.run(
        command, cwd=ROOT, env=surroundings(), capture_output=True, text=True, check=True
    )
    return done.stdout


def answer(line: list[str]) -> str:
    """What `archc` says in a fresh process."""
    return said_by([str(ARCHC), *line])


def loaded(line: list[str]) -> list[str]:
    """The packages of others and of ours that a command has imported when it is done."""
    return said_by([sys.executable, "-c", LOADED, *line]).split()


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_fresh_process_answers(question: str, benchmark: BenchmarkFixture) -> None:
    line, bar, said = QUESTIONS[question]
    repeated: Callable[..., str] = benchmark.pedantic
    found = repeated(answer, (line,), rounds=5, warmup_rounds=1)
    assert said in found
    packages = loaded(line)
    benchmark.extra_info["imports"] = packages
    assert set(packages) & HEAVY == set()
    assert "compiler" in packages
    if benchmark.stats is not None:
        assert benchmark.stats.stats.median < bar


@pytest.mark.parametrize("name", LARGE)
def test_costs_of_the_largest_are_there_at_once(name: str, benchmark: BenchmarkFixture) -> None:
    line = ["cost", f"specs/decoder/{name}.yaml"]
    repeated: Callable[..., str] = benchmark.pedantic
    assert name in repeated(answer, (line,), rounds=5, warmup_rounds=1)
    assert f'"parameters": {LARGE[name]}' in answer([*line, "--json"])
    assert set(loaded(line)) & (HEAVY | {"numpy"}) == set()
    if benchmark.stats is not None:
        benchmark.extra_info["peak_bytes"] = peak = held(line)
        assert peak < MOST_BYTES
        assert benchmark.stats.stats.median < 0.5


def held(line: list[str]) -> int:
    """The peak memory of a fresh process, started by a small one as Linux counts both."""
    return int(said_by([sys.executable, "-c", MEASURE, str(ARCHC), *line]))
