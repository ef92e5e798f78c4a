"""Diagnostics look as they should, also without a file, in colour, and across files."""

from pathlib import Path

import pytest

from archspec.source.diagnostic import Diagnostic, Label, SpecError, exit_status
from archspec.source.render import count, render
from archspec.source.span import Span

LINES = "\n" * 20 + "    heads: 32\n    kv_heads: 12\n"
HEADS = Diagnostic(
    "AR0214",
    "`kv_heads` must divide `heads`",
    Label(Span("a.yaml", 22, 15, 22, 17), "12 does not divide 32"),
    (Label(Span("a.yaml", 21, 12, 21, 14), "32 query heads"),),
    "use 1, 2, 4, 8, 16 or 32; `archc explain AR0214` says why",
)
EXPECTED = """\
error[AR0214]: `kv_heads` must divide `heads`
  --> a.yaml:22:15
   |
21 |     heads: 32
   |            -- 32 query heads
22 |     kv_heads: 12
   |               ^^ 12 does not divide 32
   |
help: use 1, 2, 4, 8, 16 or 32; `archc explain AR0214` says why
"""
WIDTHS = Diagnostic(
    "AR0301",
    "dimension D is 4096 here but 4095 there",
    Label(Span("gone.yaml", 31, 7, 31, 9), "h.layer.mlp.down"),
    (Label(Span("gone.yaml", 12, 8, 12, 9), "d_model"),),
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(LINES)


def test_both_ends_of_a_conflict() -> None:
    assert render([HEADS]) == EXPECTED


def test_without_its_file() -> None:
    assert render([WIDTHS]) == (
        "error[AR0301]: dimension D is 4096 here but 4095 there\n"
        "  --> gone.yaml:31:7      h.layer.mlp.down\n"
        "  ::: gone.yaml:12:8      d_model\n"
    )


def test_several_are_parted_by_an_empty_line() -> None:
    assert render([HEADS, WIDTHS]) == f"{EXPECTED}\n{render([WIDTHS])}"
    assert count([HEADS, WIDTHS]) == "found 2 errors in 1 spec"


def test_two_files() -> None:
    other = Diagnostic("AR0405", "taken", HEADS.primary, (Label(Span("b.yaml", 1, 1, 1, 2), "b"),))
    Path("b.yaml").write_text("b: 1\n")
    lines = render([other]).splitlines()
    assert lines[5:] == ["  ::: b.yaml:1:1", "   |", " 1 | b: 1", "   | - b"]


def test_a_line_that_no_file_holds() -> None:
    span = Span("--set", 2, 3, 2, 4)
    found = Diagnostic("AR0601", "unknown name", Label(span, "here", line="a=b"))
    assert render([found]).splitlines()[1:] == [
        "  --> --set:2:3",
        "   |",
        " 2 | a=b",
        "   |   ^ here",
    ]


def test_colour_is_only_added() -> None:
    import re

    coloured = render([HEADS], colour=True)
    assert "\x1b[1;31merror[AR0214]" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == EXPECTED


def test_tabs_and_control_characters_keep_marks_in_place() -> None:
    Path("a.yaml").write_text("\tx: \x1b[31m1\n")
    found = Diagnostic("AR0102", "m", Label(Span("a.yaml", 1, 2, 1, 3), "here"))
    assert render([found]).splitlines()[3:] == [" 1 |  x: ?[31m1", "   |  ^ here"]


def test_long_lines_are_cut_around_the_mark() -> None:
    Path("a.yaml").write_text("x" * 5000 + "KEY" + "y" * 5000)
    found = Diagnostic("AR0102", "m", Label(Span("a.yaml", 1, 5001, 1, 5004), "here"))
    line, mark = render([found]).splitlines()[3:]
    assert len(line) < 120
    assert line[mark.index("^") :].startswith("KEY")


def test_an_error_renders_itself() -> None:
    assert str(SpecError([HEADS])) == EXPECTED


def test_exit_statuses() -> None:
    def at(code: str, file: str) -> Diagnostic:
        return Diagnostic(code, "m", Label(Span(file, 1, 1, 1, 2), ""))

    warning = Diagnostic("AR0713", "m", HEADS.primary, severity="warning")
    assert [
        exit_status([]),
        exit_status([warning]),
        exit_status([HEADS, warning]),
        exit_status([HEADS, at("AR0001", "x")]),
        exit_status([at("AR0901", "--set")]),
        exit_status([at("AR0601", "--set")]),
    ] == [0, 0, 1, 2, 2, 2]
