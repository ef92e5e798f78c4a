"""The progress line: only on a terminal, only after half a second, gone before the answer."""

import io

import pytest

from compiler.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_a_pipe_sees_nothing(clock: list[float]) -> None:
    pipe = io.StringIO()
    with Progress(pipe) as report:
        report("weights", 0, 100)
        clock[0] += 60
        report("weights", 50, 100)
    assert pipe.getvalue() == ""


def test_a_quick_step_shows_nothing(clock: list[float]) -> None:
    terminal = Terminal()
    with Progress(terminal) as report:
        for step in ("read", "lower", "write"):
            report(step, 0, 10)
            clock[0] += 0.4
            report(step, 10, 10)
    assert terminal.getvalue() == ""


def test_a_slow_step_shows_how_far_it_is_and_leaves_a_clean_line(clock: list[float]) -> None:
    terminal = Terminal()
    with Progress(terminal) as report:
        report("weights", 0, 2_000_000_000, "B")
        clock[0] += 0.6
        report("weights", 500_000_000, 2_000_000_000, "B")
    shown = terminal.getvalue()
    assert "weights ━━━━━━                   " in shown
    assert "500 MB of 2.00 GB" in shown
    assert shown.endswith("\r\x1b[2K")


def test_the_line_is_drawn_at_most_ten_times_a_second(clock: list[float]) -> None:
    terminal = Terminal()
    with Progress(terminal) as report:
        report("layers", 0, 1000)
        clock[0] += 0.6
        for done in range(1000):
            report("layers", done, 1000)
            clock[0] += 0.001
    assert terminal.getvalue().count("layers") == 10
