"""Where the keys and values of a JSON text stand, for diagnostics that point into it."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from archspec.source.frozen import Frozen
from archspec.source.span import Span

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the top down."""

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class Place(Frozen):
    """The spans of a key and of its value; an item of a list has its value's for both."""

    key: Span
    value: Span


@dataclass
class _Open:
    """A mapping or list that has begun: the key or index that its next value gets."""

    table: bool
    path: Path
    at: str | int = 0
    key: Span | None = None
    waiting: bool = True


def places(text: str, file: str) -> dict[Path, Place]:
    """The place of every key of a text that is valid JSON; a collection's is its first bracket."""
    found: dict[Path, Place] = {}
    open_: list[_Open] = []
    for token, span in _tokens(text, file):
        home = open_[-1] if open_ else None
        if token in "{[":
            path = _next(home, span, found)
            open_.append(_Open(token == "{", path))
        elif token in "}]":
            open_.pop()
        elif token == ",":
            assert home is not None
            home.waiting = True
            if not home.table:
                home.at = int(home.at) + 1
        elif token == ":":
            continue
        elif home is not None and home.table and home.waiting:
            home.at, home.key, home.waiting = json.loads(token), span, False
        else:
            _next(home, span, found)
    return found


def _next(home: _Open | None, span: Span, found: dict[Path, Place]) -> Path:
    """The path of the value that begins at `span`, which is noted."""
    if home is None:
        return ()
    path = (*home.path, home.at)
    found[path] = Place(home.key or span, span)
    return path


def _tokens(text: str, file: str) -> Iterator[tuple[str, Span]]:
    line, begin, seen = 1, 0, 0
    for hit in TOKEN.finditer(text):
        passed = text.count("\n", seen, hit.start())
        if passed:
            line += passed
            begin = text.rfind("\n", seen, hit.start()) + 1
        seen = hit.start()
        column = hit.start() - begin + 1
        yield hit[0], Span(file, line, column, line, column + len(hit[0]))
