"""What a command imports, seen in a fresh process: light commands stay light."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.cli.table import COMMANDS

ROOT = Path(__file__).parents[2]
FRAMEWORKS = {"torch", "onnx", "onnx_ir", "onnxruntime", "transformers"}
GPT3 = "specs/decoder/gpt3-175b.yaml"

RUN = """
import contextlib, io, json, sys
from compiler.cli.run import run
with contextlib.redirect_stdout(io.StringIO()):
    code = run(sys.argv[1:])
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def imported(*line: str) -> set[str]:
    """The packages loaded after a command that answered yes."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *line], cwd=ROOT, capture_output=True, text=True, check=True
    )
    code, names = json.loads(done.stdout)
    assert code == 0, done.stderr
    return set(names)


@pytest.mark.parametrize("line", [["--help"], ["--version"]])
def test_the_front_page_imports_nothing_of_others(line: list[str]) -> None:
    assert (
        imported(*line)
        & (FRAMEWORKS | {"networkx", "pydantic", "ruamel", "cyclopts", "rich", "numpy"})
        == set()
    )


@pytest.mark.parametrize("line", [["explain", "AR0101"], ["explain", "attention"], ["cost", "-h"]])
def test_explaining_needs_no_graphs(line: list[str]) -> None:
    assert imported(*line) & (FRAMEWORKS | {"networkx", "numpy"}) == set()


def test_a_page_of_help_reads_no_language() -> None:
    pages = """
import contextlib, io, sys
from compiler.cli.run import run
from compiler.cli.table import COMMANDS
with contextlib.redirect_stdout(io.StringIO()):
    codes = [run([name, "-h"]) for name in COMMANDS]
print(len(codes), set(codes), {"archspec", "pydantic", "ruamel"} & sys.modules.keys())
"""
    done = subprocess.run(
        [sys.executable, "-c", pages], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{len(COMMANDS)} {{0}} set()\n"


@pytest.mark.parametrize("line", [["check", GPT3], ["cost", GPT3], ["cost", GPT3, "--json"]])
def test_checking_and_counting_need_no_framework(line: list[str]) -> None:
    assert imported(*line) & (FRAMEWORKS | {"networkx", "numpy", "sympy"}) == set()


def test_counting_loads_the_shadow_of_torch_when_memory_is_asked_for() -> None:
    asked = "import compiler.report.costs, sys; print('compiler.shadow' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
