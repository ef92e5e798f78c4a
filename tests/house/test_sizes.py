"""Files stay short: one idea a file, and a reader sees it whole."""

import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MEDIAN, NINTH_DECILE, LONGEST = 120, 300, 400


def sources(*folders: str) -> dict[Path, int]:
    return {
        path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines())
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        if path.name != "__init__.py"
    }


@pytest.mark.parametrize(
    "folders", [("archspec", "compiler"), ("tests",)], ids=["product", "tests"]
)
def test_files_are_short(folders: tuple[str, ...]) -> None:
    lengths = sources(*folders)
    assert statistics.median(lengths.values()) <= MEDIAN
    assert statistics.quantiles(lengths.values(), n=10)[-1] <= NINTH_DECILE
    assert {path: length for path, length in lengths.items() if length > LONGEST} == {}


VAGUE = {"utils", "util", "helpers", "helper", "base", "manager", "common", "misc", "tools", "core"}


def test_no_file_is_named_after_nothing() -> None:
    paths = [path for folder in ("archspec", "compiler", "tests") for path in _python(folder)]
    named = [path for path in paths if VAGUE & set(path.stem.removeprefix("test_").split("_"))]
    assert named == []


def _python(folder: str) -> list[Path]:
    return [path.relative_to(ROOT) for path in (ROOT / folder).rglob("*.py")]
