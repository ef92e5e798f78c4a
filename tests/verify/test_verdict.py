from compiler.verify.verdict import (
    PARITY,
    Check,
    Verdict,
    at_most,
    equal,
    failed,
    skipped,
)

GOOD = at_most(PARITY, 3e-7, 1e-5)
BAD = equal("parameters", 12_345, 12_346, "elements", "at full size")


def test_a_figure_at_its_bar_holds() -> None:
    assert at_most("x", 1e-5, 1e-5).ok is True
    assert at_most("x", 1.1e-5, 1e-5).ok is False


def test_what_is_no_number_does_not_hold() -> None:
    assert at_most("x", float("nan"), 1.0).ok is False
    assert at_most("x", float("inf"), 1.0).ok is False


def test_one_failure_decides() -> None:
    assert Verdict("m", (GOOD, skipped("y", "why")), 1).ok
    assert not Verdict("m", (GOOD, BAD), 1).ok
    assert not Verdict("m", (GOOD, failed("z", "ValueError: no")), 1).ok


def test_the_parity_figure() -> None:
    assert Verdict("m", (BAD, GOOD), 1).parity == 3e-7
    assert Verdict("m", (skipped(PARITY, "too large"),), 1).parity is None


def test_words_for_a_person() -> None:
    text = Verdict("m", (GOOD, BAD, skipped("padding", "none")), 5, ("d=4", "l=2"), "small").text()
    assert "--set d=4 --set l=2" in text
    lines = {line.split()[0]: line for line in text.splitlines()[2:]}
    assert "3e-07 ≤ 1e-05 absolute" in lines["ok"]
    assert "12\u202f345 ≠ 12\u202f346 elements" in lines["FAIL"]
    assert lines["skip"].endswith("none")
    assert "1 of 2 hold" in text


def test_a_document_for_a_program() -> None:
    document = Verdict("m", (GOOD, BAD, Check("q", None)), 5).document()
    assert document["ok"] is False
    assert [check["status"] for check in document["checks"]] == ["holds", "fails", "skipped"]
    assert document["checks"][1]["measured"] == 12_345
    assert document["checks"][1]["exact"] is True
