"""Ctrl-C at any moment: an answer or none, and never a bug or a no."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from compiler.cli.interruption import Interruption
from compiler.cli.run import run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def interruption() -> Iterator[Interruption]:
    before = signal.getsignal(signal.SIGINT)
    yield Interruption()
    signal.signal(signal.SIGINT, before)


def test_what_became_of_it_on_its_way_is_no_bug(
    interruption: Interruption,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As Python 3.11 does where a class is being made, and C++ that calls back."""

    def swallows(_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise RuntimeError("Error calling __set_name__") from error

    monkeypatch.setattr("compiler.cli.topics.find_topic", swallows)
    interruption.heed()
    assert run(["explain", "AR0101"], interruption) == 2
    assert capsys.readouterr() == ("", "interrupted\n")


def test_a_no_that_it_made_is_none(
    interruption: Interruption,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(_: object) -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            return 1
        return 0

    monkeypatch.setattr("compiler.cli.run._dispatch", fails)
    interruption.heed()
    assert run(["verify"], interruption) == 2
    assert capsys.readouterr().err == "interrupted\n"


def test_the_end_of_the_process_is_not_interrupted(interruption: Interruption) -> None:
    interruption.heed()
    interruption.over()
    signal.raise_signal(signal.SIGINT)
    assert not interruption.asked


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_process_that_is_to_ignore_it_does() -> None:
    code = "import signal; from compiler.cli import main; main(); print(signal.getsignal(2).name)"
    done = subprocess.run(
        [sys.executable, "-c", code, "--version"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert done.stdout.splitlines()[-1] == "SIG_IGN"
