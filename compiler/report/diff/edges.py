"""What the nodes of two graphs read."""

from collections.abc import Iterator, Sequence

from archspec.branches import text_of
from archspec.model.spec import Spec
from archspec.source.span import Span
from compiler.report.diff.change import Change
from compiler.report.diff.pairing import Pairing
from compiler.report.diff.parts import Leaf
from compiler.report.diff.values import Site, Values


def edge_changes(before: Spec, after: Spec, met: Pairing, values: Values) -> Iterator[Change]:
    """Nodes that read something else than before, names apart.

    One that reads the node above it, without saying so, follows what is added or taken away there.
    """
    for old, new in met.pairs:
        was, now = before.graph[old].inputs, after.graph[new].inputs
        if tuple(_renamed(edge, met) for edge in was) == now:
            continue
        leaves = _leaf(before, old, was), _leaf(after, new, now)
        implied = all(leaf.origin == "default" for leaf in leaves)
        if implied and (was[0] in met.removed or now[0] in met.added):
            continue
        yield values.change("changed", Site(old, new, new), "in", *leaves)


def _renamed(edge: str, met: Pairing) -> str:
    node, dot, rest = edge.partition(".")
    return met.renamed.get(node, node) + dot + rest


def _leaf(spec: Spec, name: str, edges: Sequence[str]) -> Leaf:
    mark = spec.marks.get(f"{name}.in")
    text = text_of(tuple(edges)) if len(edges) > 1 else "".join(edges)
    place: Span = spec.graph[name].span if mark is None else mark.span
    return Leaf(text, "default" if mark is None else "written", place)
