"""Closed streams, narrow encodings, full disks and lost folders are answered in a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ARCHC = f"{sys.executable} -m compiler.cli"
ROOT = Path(__file__).parents[2]
SPEC = ROOT / "specs" / "decoder" / "gpt2.yaml"


def shell(line: str, folder: Path, encoding: str = "utf-8") -> tuple[int, str, str]:
    done = subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        encoding=encoding,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding},
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"{ARCHC} explain AR0214 >&-", 0, ""),
        (f"{ARCHC} check nothing.yaml 2>&-", 2, ""),
        (f"{ARCHC} check - <&-", 1, "error[AR0004]: the spec is empty\n"),
        (f"{ARCHC} explain AR0214 >/dev/full", 2, "no space left on device\n"),
        (f"{ARCHC} explain AR0214 --json >/dev/full", 2, "no space left on device\n"),
        (f"mkdir x; cd x; rmdir ../x; {ARCHC} check {SPEC}", 2, "the working folder is gone\n"),
    ],
)
def test_what_was_closed_or_is_full(line: str, code: int, said: str, tmp_path: Path) -> None:
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    found, _, errors = shell(line, tmp_path)
    assert found == code
    assert said in errors
    assert "Traceback" not in errors
    assert "internal" not in errors


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_every_encoding_can_say_the_costs(encoding: str, tmp_path: Path) -> None:
    line = f"{ARCHC} cost {SPEC}"
    code, plain, errors = shell(line, tmp_path, encoding)
    whole = shell(line, tmp_path)[1]
    assert (code, errors) == (0, "")
    assert len(plain.splitlines()) == len(whole.splitlines())
    assert "124 M" in plain
    assert "\\u" not in plain
