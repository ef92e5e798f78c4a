"""The parsed YAML of a spec: immutable nodes that know where they stand."""

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from archspec.source.expression import Scope
from archspec.source.frozen import Frozen
from archspec.source.span import Span


class Scalar(Frozen):
    """A single value. `plain` means that it was written without quotes, so `12` is a number.

    `scope` holds the names its expression may use where they differ from the spec's `dims`.
    """

    text: str
    span: Span
    plain: bool = True
    scope: Scope | None = field(default=None, compare=False)


class Sequence(Frozen):
    items: tuple["Tree", ...]
    span: Span


class Entry(Frozen):
    """A key's place and its value."""

    key: Span
    value: "Tree"


class Table(Frozen):
    """A YAML mapping in the order written."""

    entries: Mapping[str, Entry]
    span: Span

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        return iter(self.entries.items())

    def get(self, key: str) -> "Tree | None":
        entry = self.entries.get(key)
        return None if entry is None else entry.value

    def key(self, key: str) -> Span:
        """Where the key is written, else where the mapping starts."""
        entry = self.entries.get(key)
        return self.span if entry is None else entry.key

    def put(self, key: str, entry: Entry) -> "Table":
        """A copy in which `key` holds `entry`; new keys come last."""
        return replace(self, entries={**self.entries, key: entry})

    def drop(self, *keys: str) -> "Table":
        return replace(self, entries={k: v for k, v in self.entries.items() if k not in keys})


Tree = Scalar | Sequence | Table


def is_word(tree: Tree | None, word: str) -> bool:
    return isinstance(tree, Scalar) and tree.text == word


def is_none(tree: Tree | None) -> bool:
    """Whether the tree is the word `none`, the only one for absent."""
    return is_word(tree, "none")


def described(tree: Tree) -> str:
    """The kind of a tree in a reader's words."""
    if isinstance(tree, Table):
        return "a mapping"
    if isinstance(tree, Sequence):
        return "a list"
    return f"`{tree.text}`" if tree.text else "an empty text"


def scoped(tree: Tree, scope: Scope) -> Tree:
    """The tree with every scalar that has no scope yet bound to `scope`."""
    if isinstance(tree, Scalar):
        return tree if tree.scope is not None else replace(tree, scope=scope)
    if isinstance(tree, Sequence):
        return replace(tree, items=tuple(scoped(item, scope) for item in tree.items))
    bound = {k: Entry(e.key, scoped(e.value, scope)) for k, e in tree.entries.items()}
    return replace(tree, entries=bound)
