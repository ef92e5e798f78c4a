"""A statement before its line breaks are chosen: text, possible breaks and groups of breaks."""

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias


class Line(Enum):
    """A possible line break; `flat` is what stands there when its group stays on one line."""

    SOFT = ""
    SPACE = " "
    HARD = "\n"


@dataclass(frozen=True)
class Expand:
    """Forces every group around it to break: a trailing comma in the source asks for it."""


@dataclass(frozen=True)
class Indent:
    """`doc` one level deeper; with a `group`, only if that group breaks."""

    doc: "Doc"
    group: int | None = None


@dataclass(frozen=True)
class Group:
    """Breaks that happen all or none; if the group `within` is flat, this one does not count."""

    doc: "Doc"
    id: int | None = None
    expand: bool = False
    within: int | None = None


@dataclass(frozen=True)
class IfBroken:
    """`broken` or `flat`, as the named group (default: the enclosing one) breaks or not."""

    broken: "Doc" = ""
    flat: "Doc" = ""
    group: int | None = None


@dataclass(frozen=True)
class FitsExpanded:
    """Measured as if broken while `group` is flat, so that its own breaks do not break `group`."""

    doc: "Doc"
    group: int | None


@dataclass(frozen=True)
class BestFit:
    """The first variant whose first line fits, else the last one, broken."""

    variants: tuple["Doc", ...]


@dataclass(frozen=True)
class ParenthesizeToFit:
    """`doc`, in parentheses on a line of its own only where that makes it fit."""

    doc: "Doc"
    id: int


@dataclass(frozen=True)
class Suffix:
    """A comment for the end of the line; `width` columns of it count."""

    text: str
    width: int


Doc: TypeAlias = (
    str
    | tuple["Doc", ...]
    | Line
    | Expand
    | Indent
    | Group
    | IfBroken
    | FitsExpanded
    | BestFit
    | ParenthesizeToFit
    | Suffix
)


def forces_break(doc: Doc) -> bool:
    """Whether the group around `doc` cannot stay on one line."""
    match doc:
        case tuple():
            return any(forces_break(part) for part in doc)
        case Line():
            return doc is Line.HARD
        case Expand():
            return True
        case Group():
            return doc.expand
        case Indent() | ParenthesizeToFit():
            return forces_break(doc.doc)
        case IfBroken():
            return forces_break(doc.broken) or forces_break(doc.flat)
        case _:
            return False


def group(doc: Doc, id: int | None = None, within: int | None = None) -> Group:
    """`doc` as one group, broken from the start where its content forces that."""
    return Group(doc, id, forces_break(doc), within)


def block(doc: Doc) -> Doc:
    """`doc` indented on lines of its own, if the enclosing group breaks."""
    return (Indent((Line.SOFT, doc)), Line.SOFT)


def join(separator: Doc, docs: list[Doc]) -> Doc:
    """`docs` with `separator` between them."""
    parts: list[Doc] = []
    for doc in docs:
        parts += [separator, doc] if parts else [doc]
    return tuple(parts)
