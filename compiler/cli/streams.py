"""What archc reads from and writes to: closed streams, narrow encodings, disks without room."""

import codecs
import os
import sys
from typing import Final, Literal, TextIO

PLAIN: Final = str.maketrans(
    {"\u202f": " ", "·": "-", "─": "-", "\xd7": "x", "≤": "<=", "≠": "!=", "≥": ">=", "…": "..."}
)
"""What stands for the few characters beyond ASCII that archc itself writes."""


def prepare() -> None:
    """Let closed streams lead to nothing, and no character fail that a stream cannot say."""
    codecs.register_error("archc", _plainer)
    sys.stdin = sys.stdin or _nothing("r")
    sys.stdout, sys.stderr = sys.stdout or _nothing("w"), sys.stderr or _nothing("w")
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="archc")


def silence() -> None:
    """Let stdout lead to nothing: what it led to takes no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _nothing(mode: Literal["r", "w"]) -> TextIO:
    return open(os.devnull, mode, encoding="utf-8")  # open for the whole run


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    piece = error.object[error.start : error.end].translate(PLAIN)
    return piece.encode("ascii", "backslashreplace").decode("ascii"), error.end
