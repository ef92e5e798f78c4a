"""Times, shares and rates in words."""

import pytest

from compiler.report.device.figures import bandwidth, duration, nine, per, percent, three


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (2.0, "2"),
        (0.9996, "1"),
        (0.00394, "3.94"),
        (6.48e-6, "6.48"),
        (2e-9, "2"),
        (1234.0, "1 230"),
    ],
)
def test_durations(seconds: float, said: str) -> None:
    number, _, unit = duration(seconds).rpartition("\u202f")
    assert number.replace("\u202f", " ") == said
    assert unit in ("s", "ms", "µs", "ns")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0.4567, "0.457"),
        (12.345, "12.3"),
        (999.6, "1 000"),
        (15449.0, "15 400"),
        (10**6, "1 000 000"),
    ],
)
def test_three_figures(number: float, said: str) -> None:
    assert three(number).replace("\u202f", " ") == said


def test_where_nothing_takes_time_there_is_no_rate() -> None:
    assert per(3, 2) == 1.5
    assert three(per(3, 0)) == three(per(0, 0)) == ""
    assert (nine(per(1, 3)), nine(per(1, 0))) == (0.333333333, None)


def test_shares_and_bandwidths() -> None:
    assert percent(0.864).replace("\u202f", " ") == "86.4 %"
    assert percent(0.0001).replace("\u202f", " ") == "<0.1 %"
    assert bandwidth(3350 * 10**9).replace("\u202f", " ") == "3 350 GB/s"
    assert bandwidth(5_560_501_608).replace("\u202f", " ") == "5.56 GB/s"
