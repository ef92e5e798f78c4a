"""A progress line on a terminal, for steps that take longer than half a second."""

import sys
import time
from types import TracebackType
from typing import TextIO

PATIENCE = 0.5  # seconds before anything is shown
EVERY = 0.1  # seconds between two drawings
WIDTH = 24


class Progress:
    """Call it with the step, what is done and the whole; it draws on stderr, or stays silent."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._shows = self._stream.isatty()
        self._began: dict[str, float] = {}
        self._drawn = 0.0
        self._dirty = False

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def __call__(self, step: str, done: int = 0, whole: int = 0, unit: str = "") -> None:
        """Report that `done` of `whole` units of a step are done; a whole of 0 is unknown."""
        if not self._shows:
            return
        now = time.monotonic()
        began = self._began.setdefault(step, now)
        if now - began < PATIENCE or now - self._drawn < EVERY:
            return
        self._drawn, self._dirty = now, True
        self._stream.write(f"\r\x1b[2K{_line(step, done, whole, unit)}")
        self._stream.flush()

    def clear(self) -> None:
        """Wipe the line, so that the answer stands alone."""
        if self._dirty:
            self._stream.write("\r\x1b[2K")
            self._stream.flush()
        self._began.clear()
        self._dirty = False


def _line(step: str, done: int, whole: int, unit: str) -> str:
    if not whole:
        return f"{step} …"
    filled = WIDTH * min(done, whole) // whole
    bar = "━" * filled + " " * (WIDTH - filled)
    return f"{step} {bar} {_amount(done, unit)} of {_amount(whole, unit)}"


def _amount(number: int, unit: str) -> str:
    if unit != "B":
        return f"{number} {unit}".rstrip()
    return f"{number / 1e6:.0f} MB" if number < 1e9 else f"{number / 1e9:.2f} GB"
