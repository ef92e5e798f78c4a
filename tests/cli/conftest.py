"""Calls `archc` in this process and hands back what it said."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from compiler.cli.run import run
from compiler.cli.starting import template_text


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


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small decoder in a project of its own, which is the working folder."""
    monkeypatch.chdir(tmp_path)
    text = template_text("decoder").replace("NAME", "tiny")
    for large, small in (("32000", "50"), ("512", "16"), ("n_layers: 8", "n_layers: 2")):
        text = text.replace(large, small)
    spec = Path("specs/decoder/tiny.yaml")
    spec.parent.mkdir(parents=True)
    spec.write_text(text.replace("n_heads: 8", "n_heads: 2").replace("1024", "32"))
    return spec
