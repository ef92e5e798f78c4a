"""Diagnostics for people, for GitHub and for programs."""

import json

import pytest

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.span import Span
from compiler.cli.findings import tell_findings

HERE = Span("specs/a,b.yaml", 3, 5, 3, 9)
THERE = Span("specs/a,b.yaml", 1, 1, 1, 2)
ERROR = Diagnostic(
    "AR0214",
    "`kv_heads` must divide `heads`, 100%",
    Label(HERE, "here"),
    (Label(THERE, "there"),),
    "use 8",
)
WARNING = Diagnostic("AR0802", "no limit", Label(HERE, ""), severity="warning")
FOUND = {"specs/a,b.yaml": (ERROR, WARNING), "specs/good.yaml": ()}


def test_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_findings(FOUND, "concise") == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "specs/a,b.yaml:3:5: error[AR0214]: `kv_heads` must divide `heads`, 100%",
        "specs/a,b.yaml:3:5: warning[AR0802]: no limit",
    ]
    assert err == ""


def test_github_commands_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    tell_findings({"x": (ERROR,)}, "github")
    assert capsys.readouterr().out == (
        "::error file=specs/a%2Cb.yaml,line=3,col=5,endLine=3,title=AR0214"
        "::`kv_heads` must divide `heads`, 100%25%0Ahere%0Ause 8\n"
    )


def test_what_stands_in_no_file_is_annotated_without_a_place(
    capsys: pytest.CaptureFixture[str],
) -> None:
    patch = Diagnostic("AR0104", "no number", Label(Span("--set", 1, 1, 1, 4), ""))
    tell_findings({"x": (patch,)}, "github")
    assert capsys.readouterr().out == "::error title=AR0104::no number\n"


def test_markdown_is_a_table_without_markup_of_the_spec(capsys: pytest.CaptureFixture[str]) -> None:
    odd = Diagnostic("AR0104", "a|b <b>*c*</b>", Label(HERE, "here"))
    assert tell_findings({"specs/a,b.yaml": (odd,), "specs/good.yaml": ()}, "markdown") == 1
    first, _, *table = capsys.readouterr().out.splitlines()
    assert first == "**1 spec with errors**, 1 without"
    assert table[2] == ("| specs/a,b.yaml:3 | `AR0104` | a\\|b \\<b\\>\\*c\\*\\</b\\> | here |")
    assert tell_findings({"specs/good.yaml": ()}, "markdown") == 0
    assert capsys.readouterr().out == "1 spec checked, no error\n"


def test_the_document_has_every_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_findings(FOUND, "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] is False
    bad, good = document["specs"]
    assert good == {"path": "specs/good.yaml", "diagnostics": []}
    first = bad["diagnostics"][0]
    assert (first["code"], first["severity"], first["help"]) == ("AR0214", "error", "use 8")
    assert [place["line"] for place in first["places"]] == [3, 1]


def test_full_text_goes_to_stderr_with_a_sum(capsys: pytest.CaptureFixture[str]) -> None:
    tell_findings(FOUND, "full")
    out, err = capsys.readouterr()
    assert out == ""
    assert "error[AR0214]" in err
    assert err.endswith("found 1 error in 1 spec\n")


def test_nothing_found_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_findings({"specs/good.yaml": ()}, "full") == 0
    assert capsys.readouterr() == ("", "")


def test_a_warning_alone_is_a_yes(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell_findings({"x": (WARNING,)}, "full") == 0
    assert "warning[AR0802]" in capsys.readouterr().err
