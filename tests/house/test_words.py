"""Every module says what it is, and every pardon from a judge says why."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRODUCT = sorted(
    path
    for folder in ("archspec", "compiler")
    for path in (ROOT / folder).rglob("*.py")
    if path.stat().st_size
)


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PRODUCT, ids=shown)
def test_a_module_says_in_its_first_line_what_it_is(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert said, "says nothing of itself"
    first = said.split("\n\n")[0]
    assert first[-1] in ".`", "does not end its sentence"


@pytest.mark.parametrize("path", PRODUCT, ids=shown)
def test_no_exception_without_a_reason(path: Path) -> None:
    """An ignored rule is named, and a word on the same line says why."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if "# type: ignore" in line or "# noqa" in line:
            pardon = line[max(line.find("# type: ignore"), line.find("# noqa")) :]
            assert "[" in pardon or "noqa: " in pardon, line
            assert "  # " in pardon, f"no reason: {line}"
