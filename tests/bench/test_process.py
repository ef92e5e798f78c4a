"""The ruler itself: what a process of known size and length is measured as."""

import sys

import pytest

from tests.bench.against_export import ratios
from tests.bench.process import Measured, fresh

HELD = 300 << 20


def test_time_and_memory_are_those_of_the_process() -> None:
    """Sleeping takes no processor time; bytes once held stay in the peak."""
    slept = fresh([sys.executable, "-c", "import time; time.sleep(0.5)"])
    assert slept.seconds >= 0.5
    assert slept.cpu_seconds < slept.seconds
    held = fresh([sys.executable, "-c", f"held = b'x' * {HELD}; del held"])
    assert held.peak_bytes >= HELD


def test_a_process_that_fails_is_not_measured() -> None:
    with pytest.raises(RuntimeError, match="exit code 3"):
        fresh([sys.executable, "-c", "import sys; sys.exit(3)"])


def test_ratios_are_of_medians_and_an_outlier_moves_nothing() -> None:
    ours = [Measured(seconds, 1, 100) for seconds in (1.0, 2.0, 90.0)]
    theirs = [Measured(seconds, 1, size) for seconds, size in ((9, 300), (10, 400), (11, 99_999))]
    assert ratios({"ours": ours, "theirs": theirs}) == (5.0, 4.0)
