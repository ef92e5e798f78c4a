"""Generated text as written: formatted, lint-free, importing torch alone, the same everywhere."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.backends.torch.ruff_judge import ruff_complaints, ruff_format
from tests.generated.samples import small, whole
from tests.shipped import DISTINCT, ROOT


@pytest.mark.parametrize("size", [small, whole], ids=["small", "whole"])
@pytest.mark.parametrize("path", DISTINCT)
class TestText:
    def test_is_formatted_as_written(self, path: str, size: type) -> None:
        text = size(path).generated.text
        assert ruff_format(text) == text

    def test_is_free_of_lint(self, path: str, size: type) -> None:
        assert ruff_complaints(size(path).generated.text) == ""

    def test_imports_torch_alone(self, path: str, size: type) -> None:
        tree = ast.parse(size(path).generated.text)
        named = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        named |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert {name.partition(".")[0] for name in named} == {"torch"}

    def test_is_ascii(self, path: str, size: type) -> None:
        assert size(path).generated.text.isascii()


PRINT = """
import hashlib, sys
import archspec
from compiler.pipeline.passes import lowered
from compiler.pipeline.texts import texts
for path in sys.argv[1:]:
    spec = archspec.load(path)
    for name, text in texts(spec, lowered(spec)).items():
        print(path.rpartition("specs/")[2], name, hashlib.sha256(text.content.encode()).hexdigest())
assert "torch" not in sys.modules
"""


def digests(seed: int, folder: Path, paths: list[str]) -> str:
    """A line for every file of every spec, made by a fresh interpreter in `folder`."""
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", PRINT, *paths]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_same_bytes_in_every_folder_and_under_every_hash_seed(tmp_path: Path) -> None:
    here = digests(0, ROOT, DISTINCT)
    there = digests(1, tmp_path, [str(ROOT / path) for path in DISTINCT])
    assert len(here.splitlines()) >= 4 * len(DISTINCT)
    assert here == there
