"""The lines of a text as YAML 1.2 counts them, and how wide text stands on a terminal."""

import re
import unicodedata

BREAK = re.compile(r"\r\n|\r|\n")


def lines_of(text: str) -> list[str]:
    """The lines without their ends; other separators of Unicode are part of a line."""
    found = BREAK.split(text)
    return found if found[-1] else found[:-1]


def columns(text: str) -> int:
    """The columns of a terminal that a text takes: two for a wide character, none for a mark on
    one."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
