"""The order of a graph: each node after all it reads, and what is said of a circle."""

from heapq import heappop, heappush

from archspec.components.embed import Embed
from archspec.components.unembed import Unembed
from archspec.model.edges import edges
from archspec.model.finals import node_of
from archspec.model.input import Inputs
from archspec.model.spec import Graph, Node
from archspec.source.report import Report


def ordered(graph: Graph, inputs: Inputs, report: Report) -> Graph:
    """The nodes in an order in which each stands after all it reads; as written where possible."""
    place = {name: k for k, name in enumerate(graph)}
    waits = {
        name: {need for need in needs(node, report) if need in graph and need not in inputs}
        for name, node in graph.items()
    }
    readers: dict[str, list[str]] = {name: [] for name in graph}
    for name, missing in waits.items():
        for need in missing:
            readers[need].append(name)
    ready = [place[name] for name, missing in waits.items() if not missing]
    names = list(graph)
    done: Graph = {}
    while ready:
        name = names[heappop(ready)]
        done[name] = graph[name]
        for reader in readers[name]:
            waits[reader].discard(name)
            if not waits[reader]:
                heappush(ready, place[reader])
    waiting = {name: sorted(waits[name], key=names.index) for name in names if name not in done}
    if waiting:
        report_circle(waiting, graph, report)
        return graph
    return done


def needs(node: Node, report: Report) -> set[str]:
    found = {node_of(edge) for edge, _ in edges(node, report)}
    part = node.component
    if isinstance(part, Embed) and part.share is not None:
        found.add(part.share)
    if isinstance(part, Unembed) and part.tie is not None:
        found.add(part.tie)
    return found


def report_circle(waiting: dict[str, list[str]], graph: Graph, report: Report) -> None:
    """One circle among the nodes that wait, from its first node in the text."""
    ring: dict[str, None] = {}
    name = next(iter(waiting))
    while name not in ring:
        ring[name] = None
        name = waiting[name][0]
    found = list(ring)
    found = found[found.index(name) :]
    first = found.index(min(found, key=list(graph).index)) if len(found) < 100 else 0
    found = found[first:] + found[:first]
    shown = [*found[:8], "..."] if len(found) > 9 else [*found, found[0]]
    report.error(
        "AR0403",
        "nodes wait for each other",
        graph[found[0]].span,
        " needs ".join(f"`{node}`" for node in shown),
        others=tuple((graph[node].span, "") for node in found[1:9]),
        help="a value can only be computed from values above it",
    )
