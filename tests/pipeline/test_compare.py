"""Comparisons by the names of their sides, and of compiled programs."""

from pathlib import Path

import pytest

import archspec
import compiler
from compiler.answer import CannotAnswer
from compiler.passes.setting import Setting
from compiler.pipeline import diff
from compiler.pipeline.compare import pair
from compiler.pipeline.sides import Side
from tests.pipeline.test_revision import commit, git


@pytest.mark.parametrize(
    ("before", "after", "patched", "expected"),
    [
        ("a.yaml", "b.yaml", False, (Side("a.yaml"), Side("b.yaml"))),
        ("a.yaml@v1", "", False, (Side("a.yaml", "v1"), Side("a.yaml"))),
        ("a.yaml@v1", "", True, (Side("a.yaml", "v1"), Side("a.yaml"))),
        ("a.yaml", "", True, (Side("a.yaml"), Side("a.yaml"))),
        ("a.yaml@v1", "b.yaml@v2", False, (Side("a.yaml", "v1"), Side("b.yaml", "v2"))),
        ("-", "b.yaml", False, (Side("-"), Side("b.yaml"))),
        ("a.yaml", "-", True, (Side("a.yaml"), Side("-"))),
    ],
)
def test_both_sides(before: str, after: str, patched: bool, expected: tuple[Side, Side]) -> None:
    assert pair(before, after, patched=patched) == expected


@pytest.mark.parametrize(
    ("before", "after", "patched"), [("a.yaml", "", False), ("-", "", True), ("-", "-", False)]
)
def test_one_side_alone(before: str, after: str, patched: bool) -> None:
    with pytest.raises(CannotAnswer):
        pair(before, after, patched=patched)


def test_programs_are_compared_as_files_are(decoder: Path) -> None:
    old = compiler.compile(archspec.load(decoder))
    new = compiler.compile(archspec.load(decoder, set={"d_model": 32}))
    found, asked = old.diff(new, T=8), diff(str(decoder), set=["d_model=32"], at={"T": 8})
    assert [(t.before, t.after) for t in found.totals] == [
        (t.before, t.after) for t in asked.totals
    ]
    assert found.shown == ("tiny", "tiny")
    assert asked.shown == (str(decoder), str(decoder))
    assert old.cost(T=8).totals["parameters"] == found.totals[0].before
    assert new.cost(T=8).totals["parameters"] == found.totals[0].after


def test_two_revisions_of_one_file(decoder: Path) -> None:
    git(Path(), "init", "-q")
    commit(Path(), "first")
    decoder.write_text(decoder.read_text().replace("n_layers: 2", "n_layers: 4"))
    commit(Path(), "second")
    decoder.write_text("nothing of this kind")
    found = diff(f"{decoder}@HEAD~1", f"{decoder}@HEAD")
    (change,) = found.changes
    assert (change.field, change.before, change.after) == ("repeat", "2", "4")


def test_bytes_are_of_the_setting(decoder: Path) -> None:
    half, full = (
        {t.name: t.after for t in diff(str(decoder), str(decoder), setting=s).totals}
        for s in (Setting("bf16"), Setting("fp32"))
    )
    assert full["weights_bytes"] == 2 * half["weights_bytes"]


def test_what_is_wrong_with_the_second_side_is_told_of_it(decoder: Path) -> None:
    other = decoder.with_name("other.yaml")
    other.write_text(decoder.read_text().replace("act:", "atc:"))
    with pytest.raises(archspec.SpecError) as caught:
        diff(str(decoder), str(other))
    assert {d.primary.span.file for d in caught.value.diagnostics} == {str(other)}
