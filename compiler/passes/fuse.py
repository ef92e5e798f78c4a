"""Fuse: linear maps of one input become one map, split afterwards; maps of experts, one tensor."""

from dataclasses import replace
from typing import Final

from compiler.ir.graph import Graph, Node, Rebuild, Value, copied
from compiler.ir.letters import Letters
from compiler.ir.program import Program, join
from compiler.ir.size import total
from compiler.ops import GroupedLinear, Linear, Split

GROUPS: Final = (("q", "k", "v"), ("k", "v"), ("gate", "up"))


MAPS: Final = (Linear, GroupedLinear)


def fuse(program: Program) -> Program:
    """The program with sibling maps joined along the output and experts along a new first axis."""
    graphs = {name: _fused(graph, program.key) for name, graph in program.graphs.items()}
    return program.with_graphs(graphs)


def fusions(program: Program) -> dict[str, tuple[str, ...]]:
    """Full paths of joined maps with the paths of their parts, without `.weight` and `.bias`.

    A part with `{j}` stands for one tensor of each expert; they are stacked along a new first axis.
    """
    found: dict[str, tuple[str, ...]] = {}
    for path, node, _ in program.flat():
        if not isinstance(node.what, MAPS):
            continue
        above, _, own = path.rpartition(".")
        names = tuple(name for name, _ in node.what.parts)
        if isinstance(node.what, GroupedLinear) and node.what.stacked:
            found[path] = tuple(join(above, f"{{j}}.{name}") for name in names or (own,))
        elif names:
            found[path] = tuple(join(above, name) for name in names)
    return found


def _fused(graph: Graph, key: Letters) -> Graph:
    group = next((names for names in GROUPS if _siblings(graph, names)), None)
    if group is None:
        return _stacked(graph)
    made = copied(graph)
    for node in graph:
        if node.id == group[0]:
            _join(made, [graph[name] for name in group], key)
        elif node.id not in group:
            made.keep(node)
    return _fused(made.finish(), key)


def _stacked(graph: Graph) -> Graph:
    made = copied(graph)
    for node in graph:
        what = node.what
        made.keep(
            node, what=replace(what, stacked=True) if isinstance(what, GroupedLinear) else what
        )
    return made.finish()


def _siblings(graph: Graph, names: tuple[str, ...]) -> bool:
    if not all(name in graph for name in names):
        return False
    maps = [graph[name] for name in names]
    first = maps[0].what
    return all(
        isinstance(n.what, MAPS)
        and isinstance(first, MAPS)
        and type(n.what) is type(first)
        and n.what.bias == first.bias
        and n.inputs == maps[0].inputs
        for n in maps
    )


def _join(made: Rebuild, nodes: list[Node], key: Letters) -> None:
    maps = [node.what for node in nodes if isinstance(node.what, MAPS)]
    names = tuple(node.id for node in nodes)
    widths = tuple(found.O for found in maps)
    whole = replace(maps[0], O=total(widths), parts=tuple(zip(names, widths, strict=True)))
    wish = "".join(names) if max(map(len, names)) == 1 else "_".join(names)
    joined = made.new.free_id(wish, {node.id for node in made.old})
    inputs = made.moved(nodes[0].inputs)
    types = whole.infer(made.new.types(inputs), key)
    (value,) = made.new.add(Node(joined, whole, inputs, types, nodes[0].span))
    parts = Split(widths, names)
    outputs = made.new.add(
        Node(f"{joined}_parts", parts, (value,), parts.infer(types, key), nodes[0].span)
    )
    for node, output in zip(nodes, outputs, strict=True):
        made.values[Value(node.id)] = output
