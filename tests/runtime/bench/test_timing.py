"""Percentiles: of the times there were, in order, as numpy's nearest rank has them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.runtime.bench.timing import Timing, timed

TIMES = st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=40)


@given(TIMES, st.sampled_from([50, 90, 99, 100]))
def test_a_percentile_is_the_nearest_rank(times: list[float], percent: int) -> None:
    wanted = np.percentile(times, percent, method="inverted_cdf")
    assert Timing(tuple(times)).percentile(percent) == wanted


@given(TIMES)
def test_percentiles_do_not_fall(times: list[float]) -> None:
    found = Timing(tuple(times)).document()
    assert min(times) <= found["p50_seconds"] <= found["p90_seconds"] <= found["p99_seconds"]
    assert found["p99_seconds"] <= max(times)
    assert found["samples"] == len(times)


def test_nothing_timed_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="nothing timed"):
        Timing(())


def test_a_time_is_what_the_clock_says_beside_what_was_found() -> None:
    clock = iter([2.0, 5.5])
    assert timed(lambda: "found", lambda: next(clock)) == (3.5, "found")
