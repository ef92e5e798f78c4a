"""Every spec in specs/broken says what is wrong with it, in the right place and in words."""

from pathlib import Path

import pytest

import archspec
from archspec.source.diagnostic import exit_status
from archspec.source.render import count, render
from tests.conftest import Golden

ROOT = Path(__file__).parents[2]
BROKEN = sorted((ROOT / "specs" / "broken").glob("*.yaml"))
OF_THE_LANGUAGE = [path for path in BROKEN if not path.name.startswith(("ar03", "ar07"))]


@pytest.mark.parametrize("path", OF_THE_LANGUAGE, ids=lambda path: path.stem)
def test_diagnostics(path: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = archspec.read(path.relative_to(ROOT))
    assert isinstance(found, tuple)
    code = path.name.partition("-")[0].upper()
    assert code in {diagnostic.code for diagnostic in found}
    assert exit_status(found) == (2 if code == "AR0001" else 1)
    golden(f"broken/{path.stem}.txt", f"{render(found)}\n{count(found)}\n")


def test_there_are_enough() -> None:
    assert len(OF_THE_LANGUAGE) >= 60
