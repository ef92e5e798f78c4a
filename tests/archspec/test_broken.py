"""Every spec in specs/broken says what is wrong with it, in the right place and in words."""

from pathlib import Path

import pytest

import archspec
from archspec.source.diagnostic import Diagnostic, exit_status
from archspec.source.render import count, render
from compiler.pipeline import check
from tests.conftest import Golden

ROOT = Path(__file__).parents[2]
BROKEN = sorted((ROOT / "specs" / "broken").glob("*.yaml"))


def findings(path: Path) -> tuple[Diagnostic, ...]:
    """What the language finds, else what the compiler does."""
    found = archspec.read(path)
    return found if isinstance(found, tuple) else check([str(path)])[0].diagnostics


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_diagnostics(path: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = findings(path.relative_to(ROOT))
    code = path.name.partition("-")[0].upper()
    assert code in {diagnostic.code for diagnostic in found}
    assert exit_status(found) == (2 if code == "AR0001" else 1)
    golden(f"broken/{path.stem}.txt", f"{render(found)}\n{count(found)}\n")


def test_there_are_enough() -> None:
    assert len(BROKEN) >= 60
