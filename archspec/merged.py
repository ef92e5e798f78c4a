"""A spec and what it extends as one mapping, nothing computed yet."""

from pathlib import Path
from typing import Any

from archspec.load import Reading, in_order
from archspec.source.compose import value_of
from archspec.source.diagnostic import SpecError
from archspec.source.tree import Scalar, Table, Tree


def merged(path: Path) -> dict[str, Any]:
    """The keys of the spec in a file, laid over those that it extends, `set` applied.

    Raises `SpecError`.
    """
    reading = Reading()
    tree = reading.source(path)
    if tree is None or reading.report.diagnostics:
        raise SpecError(tuple(in_order(reading.report.diagnostics)))
    return {key: _plain(entry.value) for key, entry in tree}


def _plain(tree: Tree) -> Any:
    if isinstance(tree, Scalar):
        return value_of(tree)
    if isinstance(tree, Table):
        return {key: _plain(entry.value) for key, entry in tree}
    return [_plain(item) for item in tree.items]
