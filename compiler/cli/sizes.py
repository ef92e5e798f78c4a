"""Sizes on the command line: `B=1,S=8192` assigns dimension letters, `5GB` is a size in bytes."""

import re

from compiler.answer import CannotAnswer
from compiler.cli.pairs import pairs

ITEM = re.compile(r"([A-Za-z][A-Za-z0-9_]*)=([0-9][0-9_]*)")
MOST = 2**53


def parse_sizes(text: str) -> dict[str, int]:
    """Letters and their sizes; empty for an empty text."""
    found = pairs(text.split(","), ITEM, "is not a size", "write sizes as `B=1,S=8192`")
    return {letter: _bounded(letter, digits) for letter, digits in found.items()}


def byte_count(text: str) -> int:
    """`5GB`, `500 MB`, `1.5GiB` or a plain number, in bytes; at least one."""
    from compiler.report.numbers import bytes_said

    size = bytes_said(text)
    if size is None or not 1 <= size <= MOST:
        raise CannotAnswer(f"`{text}` is not a size", "write one as `5GB` or `500MB`")
    return size


def _bounded(letter: str, digits: str) -> int:
    size = int(digits) if len(digits) <= 20 else MOST + 1
    if not 1 <= size <= MOST:
        raise CannotAnswer(f"`{letter}` must lie between 1 and 2**53")
    return size
