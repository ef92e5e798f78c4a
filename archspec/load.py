"""From a path, text or mapping to a spec, errors as values."""

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from archspec.model.merge import overlay
from archspec.model.patch import apply_to_spec, patches
from archspec.model.spec import Spec
from archspec.resolve import resolve
from archspec.source.compose import MAX_BYTES, compose, first_line
from archspec.source.decode import decode
from archspec.source.diagnostic import Diagnostic, Label, SpecError
from archspec.source.expect import expect
from archspec.source.frozen import Frozen
from archspec.source.lines import lines_of
from archspec.source.reader import DISK, Reader
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.tree import Entry, Scalar, Table

MAX_CHAIN = 8


class Text(Frozen):
    """A spec that stands in no file; `name` is what diagnostics call it."""

    text: str
    name: str


Source = str | Path | Mapping[str, Any] | Text
Patches = Mapping[str, Any] | Sequence[str]


def load(source: Source, *, set: Patches = ()) -> Spec:
    """The spec in a file (a path), on standard input (`"-"`), in a mapping or in a text.

    `set` are patches: a mapping of paths to values or strings `path=value`. Raises `SpecError`
    with every finding.
    """
    found = read(source, set=set)
    if isinstance(found, Spec):
        return found
    raise SpecError(found)


def read(source: Source, *, set: Patches = ()) -> Spec | tuple[Diagnostic, ...]:
    """As `load`, with the findings as a value instead of an exception."""
    return finished(Reading(), source, set)


def read_through(reader: Reader, path: str, *, set: Patches = ()) -> Spec | tuple[Diagnostic, ...]:
    """As `read`, of a file that `reader` has, such as one of an earlier revision."""
    return finished(Reading(reader), Path(path), set)


def finished(reading: "Reading", source: Source, set: Patches) -> Spec | tuple[Diagnostic, ...]:
    expect(source, (str, PathLike, Mapping, Text), "`source` must be a path, a mapping or a Text")
    expect(set, (Mapping, Sequence), "`set` must be a mapping or a list of texts `path=value`")
    tree = reading.source(source)
    if tree is not None:
        tree = reading.patched(tree, set)
    spec = None
    if tree is not None and not reading.report.diagnostics:
        named = not isinstance(source, Mapping | Text)
        path = reading.reader.shown(str(source)) if named else ""
        spec = resolve(tree, path, reading.digest, tuple(reading.files), reading.report)
    if spec is not None and not reading.report.diagnostics:
        return replace(spec, settings=reading.settings)
    return tuple(reading.quoted(found) for found in in_order(reading.report.diagnostics))


def in_order(found: list[Diagnostic]) -> list[Diagnostic]:
    """By place, so that a reader goes through the file once."""
    files = {name: k for k, name in enumerate(dict.fromkeys(d.primary.span.file for d in found))}
    return sorted(
        found,
        key=lambda d: (files[d.primary.span.file], d.primary.span.line, d.primary.span.column),
    )


class Reading:
    """One spec being read, with the files and patches that it is made of."""

    def __init__(self, reader: Reader = DISK) -> None:
        self.reader = reader
        self.report = Report()
        self.files: list[str] = []
        self.hash = hashlib.sha256()
        self.texts: dict[str, str] = {}  # of sources that are no files
        self.settings: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        return self.hash.hexdigest()

    def source(self, source: Source) -> Table | None:
        if isinstance(source, Mapping):
            return self.mapping(source)
        if isinstance(source, Text):
            return self.text(source.text.encode(), source.name, keep=True)
        if str(source) == "-":
            return self.text(sys.stdin.buffer.read(MAX_BYTES + 1), "-", keep=True)
        return self.file(Path(source), str(source), None, [])

    def mapping(self, source: Mapping[str, Any]) -> Table | None:
        try:
            text = json.dumps(source, indent=2, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            message = "the mapping holds what YAML cannot say"
            self.report.error("AR0104", message, Span("", 1, 1, 1, 2), str(error)[:80])
            return None
        return self.text(text.encode(errors="surrogatepass"), "", keep=True)

    def file(self, path: Path, shown: str, asked: Scalar | None, chain: list[Path]) -> Table | None:
        """A file's spec laid over what it extends; `asked` is the `extends:` that wants it."""
        named = self.reader.shown(shown)
        place = asked.span if asked else Span(named, 1, 1, 1, 2)
        try:
            data = self.reader.read(path, MAX_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            self.report.error(
                "AR0001", f"cannot read `{shown}`", place, reason[:1].lower() + reason[1:]
            )
            return None
        self.files.append(named)
        tree = self.text(data, named)
        if self.reader is not DISK:
            self.texts[named] = data.decode("utf-8-sig", "replace")
        return None if tree is None else self.extended(tree, path, shown, chain)

    def extended(self, tree: Table, path: Path, shown: str, chain: list[Path]) -> Table | None:
        wanted = tree.get("extends")
        if wanted is None:
            return self.own_patches(tree)
        if not isinstance(wanted, Scalar) or not wanted.text:
            self.report.error("AR0104", "`extends` is a path", first_line(wanted.span))
            return None
        target = path.parent / wanted.text
        chain = [*chain, path.resolve()]
        if target.resolve() in chain or len(chain) > MAX_CHAIN:
            label = (
                "extends itself" if target.resolve() in chain else f"more than {MAX_CHAIN} files"
            )
            self.report.error("AR0504", f"`{wanted.text}` cannot be extended", wanted.span, label)
            return None
        name = str(Path(shown).parent / wanted.text) if shown else wanted.text
        below = self.file(target, name, wanted, chain)
        if below is None:
            return None
        return self.own_patches(overlay(below, tree, self.report), tree)

    def own_patches(self, tree: Table, said: Table | None = None) -> Table:
        changes = (said or tree).get("set")
        if changes is not None:
            for path, entry in patches(changes, self.report, "`set`"):
                tree = apply_to_spec(tree, path, entry, self.report)
        return tree.drop("set", "extends")

    def text(self, data: bytes, shown: str, keep: bool = False) -> Table | None:
        self.hash.update(data)
        text = decode(data, shown, "spec", self.report)
        if text is None:
            return None
        if keep:
            self.texts[shown] = text
        tree = compose(text, shown, self.report)
        if tree is None or keep is False:
            return tree
        return (
            self.extended(tree, Path(shown or "spec"), "", [])
            if "extends" in tree
            else (self.own_patches(tree))
        )

    def patched(self, tree: Table, changes: Patches) -> Table | None:
        """The patches of the command line or of a call, each a line of its own."""
        lines = (
            [f"{path}={json.dumps(value)}" for path, value in changes.items()]
            if isinstance(changes, Mapping)
            else list(changes)
        )
        self.settings = tuple(lines)
        self.texts["--set"] = "\n".join(lines)
        for number, line in enumerate(lines, 1):
            self.hash.update(b"\0" + line.encode(errors="surrogatepass"))
            entry = self.patch(line, number)
            if entry is not None:
                tree = apply_to_spec(tree, line.partition("=")[0].strip(), entry, self.report)
        return tree

    def patch(self, line: str, number: int) -> Entry | None:
        """`path=value` as an entry whose places count in the line."""
        path, equals, value = line.partition("=")
        path = path.rstrip()
        start = len(path) - len(path.lstrip())
        whole = Span("--set", number, 1, number, len(line) + 1)
        if not equals or not path.strip() or not value.strip() or "\n" in line:
            self.report.error("AR0901", "a patch is `path=value`", whole, "as in `d_model=1024`")
            return None
        offset = line.index("=") + 1
        report = Report()
        wrapped = compose(f"value: {value}", "--set", report)
        for found in report.diagnostics:
            span = shifted(found.primary.span, number, offset - len("value: "))
            self.report.error(found.code, found.message, span, found.primary.text)
        tree = wrapped.get("value") if wrapped else None
        if tree is None:
            return None
        key = Span("--set", number, start + 1, number, len(path) + 1)
        return Entry(key, moved(tree, number, offset - len("value: ")))

    def quoted(self, found: Diagnostic) -> Diagnostic:
        """The diagnostic with the text of lines that no file holds."""
        return replace(
            found,
            primary=self.quote(found.primary),
            others=tuple(self.quote(label) for label in found.others),
        )

    def quote(self, label: Label) -> Label:
        lines = lines_of(self.texts.get(label.span.file, ""))
        if 0 < label.span.line <= len(lines):
            return replace(label, line=lines[label.span.line - 1])
        return label


def shifted(span: Span, line: int, columns: int) -> Span:
    start, end = max(span.column + columns, 1), max(span.end_column + columns, 2)
    return Span(span.file, line, start, line, end)


def moved(tree: "Any", line: int, columns: int) -> "Any":
    """A tree with its places moved into the line of its patch."""
    span = shifted(tree.span, line, columns)
    if isinstance(tree, Scalar):
        return replace(tree, span=span)
    if isinstance(tree, Table):
        entries = {
            key: Entry(shifted(entry.key, line, columns), moved(entry.value, line, columns))
            for key, entry in tree
        }
        return Table(entries, span)
    return replace(tree, span=span, items=tuple(moved(item, line, columns) for item in tree.items))
