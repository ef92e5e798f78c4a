"""A spec in canonical form: keys in order, one style of YAML, comments kept."""

from dataclasses import replace

from archspec.model.words import TOP_KEYS
from archspec.schema import ID
from archspec.source.comments import Notes, Place, collect, is_flow, start
from archspec.source.compose import compose, has_anchors
from archspec.source.diagnostic import SpecError
from archspec.source.lines import lines_of
from archspec.source.report import Report
from archspec.source.scalars import block, is_plain, quoted, written
from archspec.source.span import NOWHERE
from archspec.source.tree import Entry, Scalar, Sequence, Table, Tree

WIDTH = 100
SCHEMA_LINE = "# yaml-language-server: $schema="


def format_text(text: str, file: str = "") -> str:
    """The canonical form of a spec's text; formatting it again changes nothing.

    Writes the editor's schema line and `archspec: 1` where they are absent, orders the top-level
    keys, keeps comments and single empty lines, keeps `{…}` and `[…]` where they fit into 100
    columns. A text with anchors stays as it is. Raises `SpecError` if the text is not YAML that a
    spec could be.
    """
    report = Report()
    text = text.removeprefix("\ufeff")
    root = compose(text, file, report)
    if root is None:
        raise SpecError(report.diagnostics)
    if has_anchors(text):
        return text
    notes = collect(text, root)
    if "archspec" not in root:
        version = Entry(NOWHERE, Scalar("1", NOWHERE))
        root = replace(root, entries={"archspec": version, **root.entries})
    ordered = sorted(root.entries, key=lambda key: (*TOP_KEYS, key).index(key))
    root = replace(root, entries={key: root.entries[key] for key in ordered})
    head, first = header(notes, root)
    lines = Writer(lines_of(text), notes).table(root, 0)
    while lines and not lines[0]:
        lines.pop(0)
    foot = notes.foot
    return "\n".join([*head, *first, *lines, *foot]) + "\n"


def header(notes: Notes, root: Table) -> tuple[list[str], list[str]]:
    """The schema line and other comments above the first key."""
    places = [(entry.key.line, entry.key.column) for _, entry in root if entry.key is not NOWHERE]
    above = [*notes.head, *(notes.before.get(min(places), []) if places else [])]
    schema = [line for line in above if line.startswith(SCHEMA_LINE)][:1]
    head = [line for line in notes.head if line not in schema]
    if places:
        kept = [line for line in notes.before.get(min(places), []) if line not in schema]
        notes.before[min(places)] = kept
    parted = [*head, ""] if head else []
    return schema or [f"{SCHEMA_LINE}{ID}"], parted


class Writer:
    """Writes trees as lines; every method gives lines that start at column `indent`."""

    def __init__(self, lines: list[str], notes: Notes) -> None:
        self.lines = lines
        self.notes = notes

    def table(self, tree: Table, indent: int) -> list[str]:
        found: list[str] = []
        for key, entry in tree:
            place = (entry.key.line, entry.key.column)
            name = key if is_plain(key, flow=False) or number_like(key) else quoted(key)
            found += self.above(place, indent, first=not found)
            found += self.entry(f"{' ' * indent}{name}:", entry.value, place, indent)
        return found

    def sequence(self, tree: Sequence, indent: int) -> list[str]:
        found: list[str] = []
        for item in tree.items:
            place = start(item)
            found += self.above(place, indent, first=not found)
            if isinstance(item, Scalar) or self.fits(item, indent + 2):
                found.append(f"{' ' * indent}- {self.inline(item)}{self.behind(place)}")
                continue
            inner = self.collection(item, indent + 2)
            note = self.behind(place) if not isinstance(item, Table) else ""
            found += [f"{' ' * indent}- {inner[0].lstrip()}{note}", *inner[1:]]
        return found

    def above(self, place: Place, indent: int, first: bool) -> list[str]:
        if place == (NOWHERE.line, NOWHERE.column) and place not in self.notes.before:
            return []
        notes = [f"{' ' * indent}{line}" for line in self.notes.before.get(place, ())]
        return ["", *notes] if place in self.notes.spaced and not first else notes

    def behind(self, place: Place) -> str:
        comment = self.notes.behind.get(place)
        return f"  {comment}" if comment else ""

    def entry(self, head: str, tree: Tree, place: Place, indent: int) -> list[str]:
        note = self.behind(place)
        if isinstance(tree, Scalar):
            return self.scalar(head, tree, note, indent)
        if self.fits(tree, len(head) + 1):
            return [f"{head} {self.inline(tree)}{note}"]
        return [f"{head}{note}", *self.collection(tree, indent + 2)]

    def scalar(self, head: str, tree: Scalar, note: str, indent: int) -> list[str]:
        if not tree.text and tree.plain:
            return [f"{head}{note}"]
        line = f"{head} {written(tree, flow=False)}"
        if len(line) <= WIDTH and "\n" not in tree.text:
            return [line + note]
        lines = block(tree.text, indent + 2, WIDTH)
        if lines is None or (tree.plain and " " not in tree.text):
            return [line + note] if "\n" not in tree.text else [f"{head} {quoted(tree.text)}{note}"]
        return [f"{head} {lines[0]}{note}", *lines[1:]]

    def collection(self, tree: Tree, indent: int) -> list[str]:
        if isinstance(tree, Table):
            return self.table(tree, indent)
        assert isinstance(tree, Sequence)
        return self.sequence(tree, indent)

    def fits(self, tree: Tree, column: int) -> bool:
        """Whether a collection stays in one line: empty, or in braces, short and uncommented."""
        if isinstance(tree, Scalar):
            return True
        empty = not (tree.entries if isinstance(tree, Table) else tree.items)
        if empty:
            return True
        if not is_flow(tree, self.lines) or start(tree) in self.notes.broken:
            return False
        return column + len(self.inline(tree)) <= WIDTH

    def inline(self, tree: Tree) -> str:
        if isinstance(tree, Scalar):
            return written(tree, flow=True)
        if isinstance(tree, Sequence):
            return f"[{', '.join(self.inline(item) for item in tree.items)}]"
        pairs = [f"{flow_key(key)}: {self.inline(entry.value)}" for key, entry in tree]
        return f"{{{', '.join(pairs)}}}"


def number_like(key: str) -> bool:
    """Keys are always words, so `0` and `-1` need no quotes."""
    return bool(key) and key.lstrip("-").replace(".", "").isalnum() and key.isascii()


def flow_key(key: str) -> str:
    return key if is_plain(key, flow=True) or number_like(key) else quoted(key)
