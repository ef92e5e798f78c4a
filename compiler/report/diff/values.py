"""Parts of two specs compared value by value."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from archspec.source.frozen import Frozen
from compiler.report.diff.causes import Causes
from compiler.report.diff.change import Change, Kind
from compiler.report.diff.parts import OWN, Branch, Leaf, Part

EDGES: Final = frozenset(
    ("source", "tie", "share", "prefix", "mask", "mask_edge", "context", "from", "ids")
)
"""Settings that name a node or an input."""


class Site(Frozen):
    """Where two parts stand: their paths, and the second one's without layers."""

    before: str
    after: str
    component: str


class Values(Frozen):
    """Compares values; `renamed` are nodes with new names, by which edges may mean the same."""

    causes: Causes
    renamed: Mapping[str, str]

    def parts(self, site: Site, old: Part, new: Part) -> Iterator[Change]:
        """Every value that differs; another component is one change, and its settings none."""
        if old.word == new.word:
            yield from self._entries(site, old, new, "")
            return
        yield self.change("changed", site, "", old, new)
        yield from self._entries(site, _around(old), _around(new), "")

    def leaf(self, site: Site, field: str, old: Leaf, new: Leaf) -> Iterator[Change]:
        """A change where both differ and one of them is written; else another value makes it."""
        derived = old.origin == new.origin == "default"
        if old.text != new.text and not derived and not self._same_edge(field, old, new):
            yield self.change("changed", site, field, old, new)

    def change(
        self, kind: Kind, site: Site, field: str, old: Branch | None, new: Branch | None
    ) -> Change:
        """The change of a value or part, with its causes."""
        before, after = (_shown(branch) for branch in (old, new))
        causes = self.causes.of(site.component, field, old, new)
        return Change(kind, site.before, site.after, field, before, after, causes, site.component)

    def _entries(self, site: Site, old: Part, new: Part, prefix: str) -> Iterator[Change]:
        kinds = old.entries.get("kind"), new.entries.get("kind")
        for name in {**old.entries, **new.entries}:
            one, other = old.entries.get(name), new.entries.get(name)
            if one == other or (kinds[0] != kinds[1] and _follows(name, (one, other), kinds)):
                continue
            field = prefix if name == "kind" and prefix else f"{prefix}.{name}".lstrip(".")
            yield from self._entry(site, field, one, other)

    def _entry(
        self, site: Site, field: str, one: Branch | None, other: Branch | None
    ) -> Iterator[Change]:
        if isinstance(one, Part) and isinstance(other, Part):
            if one.word == other.word:
                yield from self._entries(site, one, other, field)
                return
        elif isinstance(one, Leaf) and isinstance(other, Leaf):
            yield from self.leaf(site, field, one, other)
            return
        elif _is_absent(one) and _is_absent(other):
            return
        yield self.change("changed", site, field, one, other)

    def _same_edge(self, field: str, old: Leaf, new: Leaf) -> bool:
        if field.rpartition(".")[2] not in EDGES:
            return False
        node, dot, rest = old.text.partition(".")
        return self.renamed.get(node, node) + dot + rest == new.text


def _around(part: Part) -> Part:
    """What a sub-layer has whichever mixer it has."""
    return replace(part, entries={k: v for k, v in part.entries.items() if k in OWN})


def _follows(
    name: str,
    found: tuple[Branch | None, Branch | None],
    kinds: tuple[Branch | None, Branch | None],
) -> bool:
    """Whether a value is written by the word that says another kind, as a bias by `layer`."""
    spans = {kind.span for kind in kinds if kind is not None}
    leaves = [branch for branch in found if isinstance(branch, Leaf)]
    return name != "kind" and all(leaf.origin == "default" or leaf.span in spans for leaf in leaves)


def _is_absent(branch: Branch | None) -> bool:
    return branch is None or (isinstance(branch, Leaf) and branch.text == "none")


def _shown(branch: Branch | None) -> str:
    if branch is None:
        return "none"
    return branch.text if isinstance(branch, Leaf) else str(branch)
