"""Which nodes of a spec its outputs need: the others are not compiled."""

from dataclasses import replace

from archspec.model.order import needs
from archspec.model.spec import Spec
from archspec.source.report import Report


def needed(spec: Spec) -> Spec:
    """The spec without nodes that no output reads, borrows a table of or waits for."""
    found: set[str] = set()
    waiting = list(spec.outputs)
    while waiting:
        name = waiting.pop()
        if name in spec.graph and name not in found:
            found.add(name)
            waiting += needs(spec.graph[name], Report())
    graph = {name: node for name, node in spec.graph.items() if name in found}
    return replace(spec, graph=graph)
