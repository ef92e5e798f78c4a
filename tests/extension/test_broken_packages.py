"""A package that is broken is named, and hurts only specs that use it."""

from pathlib import Path
from typing import Any

import pytest

from tests.extension.conftest import caller, described

SPEC = """
name: plain
inputs: {ids: tokens}
graph:
  tok: {embed: {vocab: 10, dim: 8}, in: ids}
"""


def word(points: dict[str, Any], value: str) -> None:
    points["archspec.components"]["token_shift"] = value


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("token_shift.nowhere:TokenShift", "ModuleNotFoundError"),
        ("token_shift.component:Nothing", "AttributeError"),
        ("token_shift.operator:PreviousMix", "is no component"),
        ("archspec.components.mlp:Mlp", "calls itself `mlp`"),
    ],
)
def test_a_component_that_does_not_load(tmp_path: Path, value: str, reason: str) -> None:
    archc = caller(described(tmp_path / "site", lambda points: word(points, value)))
    (tmp_path / "plain.yaml").write_text(SPEC)
    assert archc("check", "plain.yaml", within=tmp_path).returncode == 0
    done = archc("check", "spec.yaml")
    assert done.returncode == 1
    assert "archspec-token-shift 0.1.0" in done.stderr + done.stdout
    assert reason in done.stderr + done.stdout
    assert archc("doctor").returncode == 1


def test_a_word_of_the_language_stays_its_own(tmp_path: Path) -> None:
    def claim(points: dict[str, Any]) -> None:
        points["archspec.components"] = {"mlp": "token_shift.component:TokenShift"}

    archc = caller(described(tmp_path / "site", claim))
    assert "the word `mlp` is taken" in archc("doctor").stdout


def test_a_component_without_a_lowering(tmp_path: Path) -> None:
    archc = caller(described(tmp_path / "site", lambda points: points.pop("archspec.lowerings")))
    done = archc("check", "spec.yaml")
    assert done.returncode == 2
    assert "AR0916" in done.stderr + done.stdout
