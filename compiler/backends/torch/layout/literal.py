"""Values and texts of a spec as Python literals: ASCII, never more than data."""

import math
import re
from collections.abc import Iterable

LONG = 10_000


def number(value: int | float) -> str:
    """`value` as a person writes it: `4096`, `14_336`, `1e-5`, `500_000.0`."""
    if isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return _grouped(str(int(value)))
    if not math.isfinite(value):
        return f'float("{value!r}")'
    return re.sub(r"e([+-])0*", lambda sign: "e" + sign[1].strip("+"), _grouped(repr(float(value))))


def _grouped(digits: str) -> str:
    whole, *rest = re.split(r"(?=[.e])", digits, maxsplit=1)
    return "".join([f"{int(whole):_}" if abs(int(whole)) >= LONG else whole, *rest])


def text(value: str) -> str:
    """`value` as a literal on one line, in double quotes unless single ones save escapes."""
    body = _escaped(value)
    quote = "'" if body.count('"') > body.count("'") else '"'
    return quote + body.replace(quote, "\\" + quote) + quote


def docstring(lines: Iterable[str]) -> list[str]:
    """Any text as the lines of a docstring at depth 0, cleaned as `inspect.cleandoc` cleans one.

    Blank lines at both ends, spaces at the end of a line and the indentation that all lines after
    the first share are dropped; everything else comes back when the docstring is evaluated. With
    more than one line the closing quotes stand on a line of their own.
    """
    cleaned = _cleaned("\n".join(lines).split("\n"))
    if not cleaned:
        return ['""" """']
    body = [_docstring_line(line) for line in cleaned]
    if len(body) == 1:
        return [f'"""{body[0]}"""']
    return ['"""' + body[0], *body[1:], '"""']


def _escaped(value: str) -> str:
    return value.encode("unicode_escape").decode("ascii")


def _docstring_line(line: str) -> str:
    """`line` escaped, without three quotes in a row and without a bare one at an end."""
    inner = line[1:] if line.startswith('"') else line
    before = '\\"' if inner is not line else ""
    after = '\\"' if inner.endswith('"') else ""
    body = _escaped(inner[:-1] if after else inner)
    return before + body.replace('"""', '\\"\\"\\"') + after


def _cleaned(lines: list[str]) -> list[str]:
    stripped = [line.rstrip(" ") for line in lines]
    while stripped and not stripped[-1]:
        stripped.pop()
    while stripped and not stripped[0].strip(" "):
        stripped.pop(0)
    if not stripped:
        return []
    indents = [len(line) - len(line.lstrip(" ")) for line in stripped[1:] if line]
    margin = min(indents, default=0)
    return [stripped[0].lstrip(" "), *(line[margin:] for line in stripped[1:])]
