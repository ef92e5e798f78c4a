"""Every diagnostic has a page with its four parts, a broken spec and a golden."""

import re
from pathlib import Path

import pytest

from archspec.source.codes import CODES

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "specs" / "broken"
GOLDEN = ROOT / "tests" / "golden" / "broken"
PAGES = ROOT / "archspec" / "source" / "pages"
USED = re.compile(r"\bAR\d{4}\b")
OUTSIDE_SPECS = ("AR07", "AR09")  # weights and the command line: no spec's text shows them


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_says_what_why_an_example_and_a_remedy(code: str) -> None:
    page = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {code}")
    assert len(page.split()) >= 25
    assert "```" in page or "    " in page


@pytest.mark.parametrize(
    "code", sorted(code for code in CODES if not code.startswith(OUTSIDE_SPECS))
)
def test_a_broken_spec_and_a_golden_show_it(code: str) -> None:
    specs = sorted(BROKEN.glob(f"{code.lower()}-*"))
    assert specs, "no broken spec"
    goldens = [GOLDEN / f"{spec.stem}.txt" for spec in specs]
    assert any(f"[{code}]" in golden.read_text(encoding="utf-8") for golden in goldens)


def test_every_golden_has_its_spec() -> None:
    specs = {path.stem for path in BROKEN.iterdir()}
    assert {path.stem for path in GOLDEN.glob("*.txt")} <= specs


def test_no_page_without_a_code() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(CODES)


def test_every_code_in_the_source_is_declared() -> None:
    used = {
        code
        for package in ("archspec", "compiler")
        for path in (ROOT / package).rglob("*.py")
        for code in USED.findall(path.read_text(encoding="utf-8"))
    }
    assert used - set(CODES) == set()
