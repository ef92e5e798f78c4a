"""Every number has a convention that speaks of it, with a source."""

import pytest

from compiler.passes.metrics import METRICS
from compiler.report.explain.conventions import KNOWN, convention
from compiler.report.explain.figures import FIGURES


@pytest.mark.parametrize("figure", sorted({*METRICS, *FIGURES}))
def test_a_number_has_a_convention_of_its_kind(figure: str) -> None:
    found = convention(figure)
    assert found.said.endswith(".")
    assert found.source
    unit = METRICS[figure].unit if figure in METRICS else FIGURES[figure].unit
    if unit in ("FLOP", "MAC"):
        assert "byte" not in found.said
    if unit == "bytes":
        assert "multiply-add" not in found.said


def test_no_convention_is_for_nothing() -> None:
    used = {convention(figure) for figure in {*METRICS, *FIGURES}}
    peaks = {found for name, found in KNOWN if "peak" in name}  # counted where memory is
    assert {found for _, found in KNOWN} - used <= peaks


def test_words_of_counts_are_their_own() -> None:
    """How often something runs is no count of weights; windows end a cache, but not ours."""
    assert "weights" not in convention("uses").said and "trained" not in convention("uses").said
    assert convention("uses") != convention("parameters")
    assert "min(S, W)" in convention("kv_bytes").said
    assert convention("kv_held_bytes") == convention("kv_bytes")
