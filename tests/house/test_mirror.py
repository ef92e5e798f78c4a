"""Tests mirror the source: a folder of tests for every package, and no test of nothing."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BESIDES = {
    "cli",
    "golden",
    "house",
    "property",
    "parity",
    "public",
    "specs",
    "bench",
    "editor",
    "real",
    "generated",
    "history",
    "learn",
    "extension",
    "families",
    "device",
}
"""Test folders that stand for something else than a package."""


def packages() -> list[Path]:
    """Packages of the compiler with code of their own, relative to `compiler/`."""
    folders = {path.parent for path in (ROOT / "compiler").rglob("*.py") if path.stem != "__init__"}
    return sorted(
        folder.relative_to(ROOT / "compiler") for folder in folders if folder.name != "compiler"
    )


@pytest.mark.parametrize("package", packages(), ids=str)
def test_every_package_has_tests(package: Path) -> None:
    assert list((ROOT / "tests" / package).rglob("test_*.py"))


def test_the_language_has_tests() -> None:
    assert list((ROOT / "tests" / "archspec").rglob("test_*.py"))


def test_every_test_folder_stands_for_something() -> None:
    known = BESIDES | {path.parts[0] for path in packages()} | {"archspec"}
    folders = {
        path.relative_to(ROOT / "tests").parts[0]
        for path in (ROOT / "tests").rglob("test_*.py")
        if path.parent != ROOT / "tests"
    }
    assert folders <= known
