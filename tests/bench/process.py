"""One command in a fresh process: how long it took and how much memory it held."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

ROOT = Path(__file__).parents[2]
ARCHC = Path(sys.executable).with_name("archc")


@dataclass(frozen=True)
class Measured:
    """Wall time and processor time in seconds, and the peak of resident memory in bytes."""

    seconds: float
    cpu_seconds: float
    peak_bytes: int


def surroundings(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that a measured process gets: ours, without the one by which Python compiles
    every module anew, and `more`."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **(more or {})}


def fresh(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    output: int | IO[bytes] = subprocess.DEVNULL,
    errors: int | None = None,
) -> Measured:
    """Run a command from the repository's root; its output goes nowhere, its errors to stderr.

    Python may keep what it compiles whatever the surroundings say, as where archc is installed: the
    first run is then one to warm up, and is not counted.
    Linux counts the memory of the process that started the command towards its peak, so whoever
    measures must be small. Raises RuntimeError where the command fails.
    """
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=surroundings(environment),
        stdout=output,
        stderr=errors,
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"exit code {process.returncode}: {' '.join(command)}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit)


def told(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[Measured, dict[str, Any]]:
    """As `fresh`, with the JSON object in the last line that the command wrote to its output."""
    with TemporaryFile() as output:
        found = fresh(command, environment, output, subprocess.DEVNULL)
        output.seek(0)
        said: dict[str, Any] = json.loads(output.read().splitlines()[-1])
    return found, said
