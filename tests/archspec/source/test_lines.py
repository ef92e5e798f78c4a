"""Lines are those of YAML, and marks stand below wide characters."""

from pathlib import Path

import pytest

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.lines import columns, lines_of
from archspec.source.render import render
from archspec.source.span import Span


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\r\nb\rc\n\n", ["a", "b", "c", ""]),
        ("a\u2028b\x85c\x0bd\x0ce\n", ["a\u2028b\x85c\x0bd\x0ce"]),
    ],
)
def test_lines(text: str, expected: list[str]) -> None:
    assert lines_of(text) == expected


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("🦙", 2)])
def test_columns_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


def test_a_separator_within_a_line_shifts_no_line(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("name: a\u2028b\nbad: 1\n", encoding="utf-8")
    found = render([Diagnostic("AR0102", "unknown", Label(Span(str(path), 2, 1, 2, 4), "here"))])
    assert "\n 2 | bad: 1\n   | ^^^ here\n" in found


def test_marks_stand_below_wide_characters(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("日本: {語: 1}\n", encoding="utf-8")
    found = render([Diagnostic("AR0102", "unknown", Label(Span(str(path), 1, 6, 1, 7), "here"))])
    assert "\n   |        ^^ here\n" in found
