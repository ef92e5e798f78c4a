"""Fuse: linear maps of one input become one map, split afterwards (`q`, `k`, `v` into `qkv`)."""

from typing import Final

from compiler.ir.graph import Graph, Node, Rebuild, Value, copied
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.size import total
from compiler.ops import Linear, Split

GROUPS: Final = (("q", "k", "v"), ("k", "v"), ("gate", "up"))


def fuse(program: Program) -> Program:
    """The program with every group of sibling maps joined; parameters of the whole are those of the parts, stacked."""
    graphs = {name: _fused(graph, program.key) for name, graph in program.graphs.items()}
    return program.with_graphs(graphs)


def fusions(program: Program) -> dict[str, tuple[str, ...]]:
    """Full paths of joined maps with the paths of their parts, without `.weight` and `.bias`."""
    found: dict[str, tuple[str, ...]] = {}
    for path, node, _ in program.flat():
        if isinstance(node.what, Linear) and node.what.parts:
            prefix = path.rpartition(".")[0]
            found[path] = tuple(
                f"{prefix}.{name}" if prefix else name for name, _ in node.what.parts
            )
    return found


def _fused(graph: Graph, key: Letters) -> Graph:
    group = next((names for names in GROUPS if _siblings(graph, names)), None)
    if group is None:
        return graph
    made = copied(graph)
    for node in graph:
        if node.id == group[0]:
            _join(made, [graph[name] for name in group], key)
        elif node.id not in group:
            made.keep(node)
    return _fused(made.finish(), key)


def _siblings(graph: Graph, names: tuple[str, ...]) -> bool:
    if not all(name in graph for name in names):
        return False
    maps = [graph[name] for name in names]
    first = maps[0].what
    return all(
        isinstance(n.what, Linear)
        and isinstance(first, Linear)
        and n.what.bias == first.bias
        and n.inputs == maps[0].inputs
        for n in maps
    )


def _join(made: Rebuild, nodes: list[Node], key: Letters) -> None:
    maps = [node.what for node in nodes if isinstance(node.what, Linear)]
    names = tuple(node.id for node in nodes)
    widths = tuple(found.O for found in maps)
    whole = Linear(
        total(widths), maps[0].bias, maps[0].init, tuple(zip(names, widths, strict=True))
    )
    joined = "".join(names) if max(map(len, names)) == 1 else "_".join(names)
    inputs = made.moved(nodes[0].inputs)
    types = whole.infer(made.new.types(inputs), key)
    (value,) = made.new.add(Node(joined, whole, inputs, types, nodes[0].span))
    parts = Split(widths, names)
    outputs = made.new.add(
        Node(f"{joined}_parts", parts, (value,), parts.infer(types, key), nodes[0].span)
    )
    for node, output in zip(nodes, outputs, strict=True):
        made.values[Value(node.id)] = output
