"""What all kinds of expressions share on their way to a document: the source, and their level."""

import ast
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from compiler.backends.torch.layout.doc import (
    Doc,
    Expand,
    FitsExpanded,
    Group,
    IfBroken,
    Indent,
    Line,
    ParenthesizeToFit,
    block,
    group,
    join,
)
from compiler.backends.torch.layout.source import Source


@dataclass(frozen=True)
class Level:
    """Where an expression stands.

    `inside` is true in brackets, where it may break anywhere; `group` is the group that will add
    parentheses around it if it breaks. With neither it may break in its own brackets only.
    """

    inside: bool = False
    group: int | None = None

    @property
    def breakable(self) -> bool:
        """Whether brackets stand around the expression, or will if it breaks."""
        return self.inside or self.group is not None


OUTSIDE = Level()
INSIDE = Level(inside=True)


class Context(ABC):
    """Turns the expressions of one source line into documents."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._ids = count()

    def new_id(self) -> int:
        """An unused name for a group."""
        return next(self._ids)

    @abstractmethod
    def bare(self, node: ast.expr, level: Level) -> Doc:
        """`node` without the parentheses around it."""

    def wrapped(self, node: ast.expr, level: Level) -> Doc:
        """`node` in parentheses."""
        return bracketed("(", self.bare(node, INSIDE), ")", level)

    def format(self, node: ast.expr, level: Level) -> Doc:
        """`node` with the parentheses it has in the source."""
        if self.source.parenthesized(node):
            return self.wrapped(node, level)
        return self.bare(node, level)

    def optional(self, content: Callable[[Level], Doc]) -> Doc:
        """Parentheses around what still does not fit with its own brackets broken."""
        id = self.new_id()
        inner = Indent((Line.SOFT, content(Level(group=id))), id)
        return group((IfBroken("("), inner, Line.SOFT, IfBroken(")")), id)

    def to_fit(self, content: Callable[[Level], Doc]) -> ParenthesizeToFit:
        """Parentheses around what cannot be broken, where they make it fit."""
        id = self.new_id()
        return ParenthesizeToFit(content(Level(group=id)), id)


def bracketed(left: str, content: Doc, right: str, level: Level) -> Doc:
    """`content`, laid out at INSIDE, between two brackets that may stand on lines of their own."""
    inner: Doc = group(block(content))
    if level.group is not None and not level.inside:
        inner = FitsExpanded(inner, level.group)
    return (left, inner, right)


def if_expands(content: Doc) -> Group:
    """Parentheses around `content`, laid out at INSIDE, if it does not fit on the line."""
    return group((IfBroken("("), block(content), IfBroken(")")))


def soft_line(level: Level, line: Line = Line.SPACE) -> Doc:
    """A possible break where brackets stand around it, else a space or nothing."""
    if level.inside:
        return line
    if level.group is not None:
        return IfBroken(line, line.value, level.group)
    return line.value


def broken_only(level: Level, doc: Doc) -> Doc:
    """`doc` where the brackets around it are broken, else nothing."""
    return IfBroken(doc, "", level.group) if level.breakable else ""


def soft_group(level: Level, doc: Doc) -> Doc:
    """`doc` as a group where brackets stand around it."""
    if level.inside:
        return group(doc)
    return doc if level.group is None else group(doc, within=level.group)


def comma_separated(items: list[Doc], trailing_comma: bool, always: bool = False) -> Doc:
    """`items` with breaks after the commas; a trailing comma in the source breaks them all.

    Broken, they end in a comma if there are at least two, or `always`.
    """
    ends: list[Doc] = []
    if trailing_comma or always or len(items) > 1:
        ends.append(IfBroken(","))
    if trailing_comma:
        ends.append(Expand())
    return (join((",", Line.SPACE), items), *ends)
