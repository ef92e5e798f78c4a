"""YAML text to a tree that knows its places, within bounds of size, depth and aliases."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NoReturn

from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.tree import Entry, Scalar, Sequence, Table, Tree

MAX_BYTES = 64 * 1024
MAX_DEPTH = 40
MAX_NODES = 4_000


class Stop(Exception):  # noqa: N818  # a way out, no error of ours
    """Reading ends here; the reason is in the report."""


def compose(text: str, file: str, report: Report, noun: str = "spec") -> Table | None:
    """The top mapping of a spec or of what else `noun` says, or None with the reasons in `report`
    (AR0003 to AR0012)."""
    return _faultless(text, file) or _read(text, file, report, noun)


@lru_cache(maxsize=32)
def _faultless(text: str, file: str) -> Table | None:
    """The mapping of a text with nothing wrong in it: who reads one again, as a sweep over sizes
    does, has the same tree, which nobody changes."""
    report = Report()
    tree = _read(text, file, report)
    return None if report.diagnostics else tree


def _read(text: str, file: str, report: Report, noun: str = "spec") -> Table | None:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    loader = YAML(typ="safe", pure=True)
    try:
        return Composer(file, report, noun).document(loader.parse(text))
    except Stop:
        return None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        report.error("AR0003", "not valid YAML", point(file, mark), sentence(error))
    except YAMLError as error:
        place = Span(file, 1, 1, 1, 2)
        character = getattr(error, "character", None)
        if isinstance(character, int):
            where = text.find(chr(character))
            line = text.count("\n", 0, where) + 1
            column = where - (text.rfind("\n", 0, where) + 1) + 1
            place = Span(file, line, column, line, column + 1)
        report.error("AR0002", "not a text file", place, "this character cannot stand in YAML")
    return None


def has_anchors(text: str) -> bool:
    """Whether a text that composes has anchors, which the tree does not show."""
    from ruamel.yaml import YAML

    return any(getattr(event, "anchor", None) for event in YAML(typ="safe", pure=True).parse(text))


def point(file: str, mark: Any) -> Span:
    if mark is None:
        return Span(file, 1, 1, 1, 2)
    return Span(file, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)


def sentence(error: Any) -> str:
    context = f"{error.context}, " if error.context else ""
    problem = " ".join(f"{context}{error.problem or 'it cannot be read'}".split())
    return problem if len(problem) <= 120 else problem[:117] + "..."


@dataclass
class Open:
    """A collection that has begun and not ended."""

    start: Any
    anchor: str | None
    table: bool
    entries: dict[str, Entry] = field(default_factory=dict)
    items: list[Tree] = field(default_factory=list)
    key: tuple[str, Span] | None = None
    size: int = 1


class Composer:
    """Builds the tree from parser events; its stack is a list, so no depth can exhaust ours."""

    def __init__(self, file: str, report: Report, noun: str = "spec") -> None:
        self.file = file
        self.noun = noun
        self.report = report
        self.anchors: dict[str, tuple[Tree, int]] = {}
        self.open: list[Open] = []
        self.root: Tree | None = None
        self.documents = 0
        self.failed = False

    def document(self, events: Iterator[Any]) -> Table | None:
        for event in events:
            self.event(event)
        if self.root is None or (
            isinstance(self.root, Scalar) and self.root.plain and not self.root.text
        ):
            self.report.error("AR0004", f"the {self.noun} is empty", Span(self.file, 1, 1, 1, 2))
            return None
        if not isinstance(self.root, Table):
            self.report.error(
                "AR0012",
                f"a {self.noun} is a mapping of keys",
                first_line(self.root.span),
                "this is a list" if isinstance(self.root, Sequence) else "this is a single value",
                help="start with `name:`, `inputs:` and `graph:`" if self.noun == "spec" else "",
            )
            return None
        return None if self.failed else self.root

    def event(self, event: Any) -> None:
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                label = f"a {self.noun} is one document"
                self.stop("AR0008", "more than one document", event, label)
        elif kind == "ScalarEvent":
            self.tagged(event, plain=event.implicit[0])
            plain = event.style in (None, "") and event.tag is None
            tree = Scalar(self.words(event), self.span(event.start_mark, event.end_mark), plain)
            self.add(tree, 1, event)
        elif kind == "AliasEvent":
            self.alias(event)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self.tagged(event)
            if len(self.open) >= MAX_DEPTH:
                self.stop("AR0006", "nested too deeply", event, f"at most {MAX_DEPTH} levels")
            table = kind == "MappingStartEvent"
            self.open.append(Open(event.start_mark, event.anchor, table))
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self.close(event)

    def words(self, event: Any) -> str:
        """A scalar's text, with the halves of a character written as JSON escapes put together."""
        try:
            whole: bytes = event.value.encode("utf-16-le", "surrogatepass")
            return whole.decode("utf-16-le")
        except UnicodeDecodeError:
            self.stop("AR0002", "not a text file", event, "half of a character stands here alone")

    def close(self, event: Any) -> None:
        done = self.open.pop()
        span = self.span(done.start, event.end_mark)
        tree: Tree = Table(done.entries, span) if done.table else Sequence(tuple(done.items), span)
        self.add(tree, done.size, event, done.anchor)

    def alias(self, event: Any) -> None:
        known = self.anchors.get(event.anchor)
        if known is None:
            self.stop("AR0003", "not valid YAML", event, f"`*{event.anchor}` names no anchor above")
            return
        self.add(known[0], known[1], event)

    def add(self, tree: Tree, size: int, event: Any, anchor: str | None = None) -> None:
        anchor = anchor or (event.anchor if isinstance(tree, Scalar) else None)
        if anchor and type(event).__name__ != "AliasEvent":
            self.anchors[anchor] = (tree, size)
        if not self.open:
            self.root = tree if self.documents <= 1 else self.root
            return
        home = self.open[-1]
        home.size += size
        if sum(level.size for level in self.open) > MAX_NODES:
            message = f"the {self.noun} is too large"
            self.stop("AR0007", message, event, f"more than {MAX_NODES} values")
        if not home.table:
            home.items.append(tree)
        elif home.key is None:
            home.key = self.read_key(tree)
        else:
            self.put(home, tree)

    def put(self, home: Open, tree: Tree) -> None:
        assert home.key is not None
        name, span = home.key
        home.key = None
        if name not in home.entries:
            home.entries[name] = Entry(span, tree)
            return
        self.failed = True
        self.report.error(
            "AR0011",
            f"key `{name}` is written twice",
            span,
            "again here",
            others=((home.entries[name].key, "first here"),),
        )

    def read_key(self, tree: Tree) -> tuple[str, Span]:
        if isinstance(tree, Scalar) and tree.text:
            return tree.text, tree.span
        self.failed = True
        self.report.error("AR0010", "a key is a single word or path", first_line(tree.span))
        return f"?{tree.span.line}:{tree.span.column}", tree.span

    def tagged(self, event: Any, plain: bool = False) -> None:
        tag = getattr(event, "tag", None)
        if tag is None or plain:
            return
        self.failed = True
        self.report.error(
            "AR0009",
            f"tag `{tag}` is not allowed",
            first_line(self.span(event.start_mark, event.end_mark)),
            help=f"a {self.noun} has plain values only; take the tag away",
        )

    def stop(self, code: str, message: str, event: Any, label: str) -> NoReturn:
        span = first_line(self.span(event.start_mark, event.end_mark))
        self.report.error(code, message, span, label)
        raise Stop

    def span(self, start: Any, end: Any) -> Span:
        return Span(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def first_line(span: Span) -> Span:
    """The span cut to one column when it covers several lines."""
    if span.line == span.end_line:
        return span
    return Span(span.file, span.line, span.column, span.line, span.column + 1)


def value_of(scalar: Scalar) -> bool | int | float | str | None:
    """A scalar by YAML 1.2's core schema: `no` is text, `1e-5` a float, nothing is None.

    Integers too long to be meant are left as text, which no number accepts.
    """
    text = scalar.text
    if not scalar.plain:
        return text
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text[0] in "tT"
    if text[0] not in "+-.0123456789" or len(text) > 40:
        return text
    try:
        if text.isascii() and text.lstrip("+-").isdigit():
            return int(text)
        if text[:2] in ("0x", "0o"):
            return int(text, 16 if text[1] == "x" else 8)
        number = float(text)
        return number if math.isfinite(number) and "_" not in text else text
    except ValueError:
        return text
