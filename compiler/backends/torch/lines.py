"""Logical lines of generated Python with their depth and the place in the spec that they come
from."""

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from archspec.source.span import Span
from compiler.ir.graph import NOWHERE


class Line(NamedTuple):
    """One statement, header or comment before it is wrapped."""

    depth: int
    text: str
    span: Span = NOWHERE


Lines: TypeAlias = list[Line]


def placed(lines: Iterable[Line], span: Span) -> Lines:
    """The same lines, those that come from no place of their own from `span`."""
    return [line if line.span.file or not line.text else line._replace(span=span) for line in lines]


def deeper(lines: Iterable[Line], by: int) -> Lines:
    """The same lines, further in."""
    return [line._replace(depth=line.depth + by) for line in lines]
