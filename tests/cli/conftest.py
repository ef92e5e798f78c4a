"""Calls `archc` in this process and hands back what it said."""

import io
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from compiler.cli.run import run


@dataclass(frozen=True)
class Said:
    """One call: its exit code and both streams."""

    code: int
    out: str
    err: str


Archc = Callable[..., Said]


@pytest.fixture
def archc(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Archc:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(*arguments: str, stdin: str | None = None) -> Said:
        if stdin is not None:
            given = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
            monkeypatch.setattr("sys.stdin", given)
        capsys.readouterr()
        code = run(arguments)
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return call
