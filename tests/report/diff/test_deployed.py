"""Two models in one place: each figure is that of the one report, its change that of the two."""

import math

import pytest

from compiler.report.diff.deployed import across, on_device
from tests.report.device.places import plain
from tests.report.reports import report

ROOM = 10**9


def test_every_figure_is_one_of_the_two_reports() -> None:
    small, large = (report(f"decoder/{name}", B=1, T=64) for name in ("gpt2", "gpt2-medium"))
    there = on_device(small.on(plain()), large.on(plain()))
    rows = {name: (before, after, change) for name, before, after, change in there.rows}
    assert there.document() == {
        "before": small.on(plain()).document(),
        "after": large.on(plain()).document(),
    }
    step, longer = (found.on(plain()).phases[1].least for found in (small, large))
    before, after, change = rows["one step, never below"]
    assert float(before.split("\u202f")[0]) == pytest.approx(step * 1e3, rel=0.005)
    assert float(after.split("\u202f")[0]) == pytest.approx(longer * 1e3, rel=0.005)
    assert float(change.strip("+\u202f%")) == pytest.approx(100 * (longer / step - 1), abs=0.1)
    assert rows["decoding, in 4.00\u202fGiB"] == ("fits", "fits", "same")
    assert rows["inference, greatest length"] == ("1\u202f024", "1\u202f024", "same")
    least = small.totals["weights_bytes"] / 10**10
    assert math.isclose(step, least, rel_tol=0.03)


def test_words_of_a_device_are_no_markup() -> None:
    found = report("decoder/gpt2", B=1, T=64).on(plain(title="<b>fast</b>"))
    there = on_device(found, found)
    assert "<b>" in there.text() and "<b>" not in there.markdown()
    assert all(change == "same" for *_, change in there.rows)


def test_an_encoder_beside_a_decoder_has_what_both_have() -> None:
    one, other = report("encoder/bert-base", B=1, T=64), report("decoder/gpt2", B=1, T=64)
    names = [name for name, *_ in on_device(one.on(plain()), other.on(plain())).rows]
    assert "whole input, never below" in names and "inference, needs" in names
    assert not any(name.startswith(("one step", "decoding")) for name in names)


def test_the_fullest_rank_of_both() -> None:
    small, large = (
        report(f"decoder/{name}", B=1, T=64).parallel(tp=2, dp=2)
        for name in ("gpt2", "gpt2-medium")
    )
    found = across(small, large, ROOM)
    rows = {name: cells for name, *cells in found.rows}
    assert rows["in 954\u202fMiB"] == ["does not fit", "does not fit", "same"]
    assert "those of the rank's experts" not in rows
    assert rows["gradients"][:2] == rows["weights"][:2]
    assert "a rank of 4 devices, tp=2,dp=2" in found.text()
    assert found.markdown().startswith("a rank of 4 devices, tp=2,dp=2:\n\n| ")
