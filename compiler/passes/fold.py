"""Fold: equal graphs become one graph."""

from dataclasses import replace
from typing import Any

from compiler.ir.graph import Call, Graph, Node, Repeat, Scan, copied
from compiler.ir.program import Program


def fold(program: Program) -> Program:
    """The program with one graph for all that are the same; the first keeps its name and its place
    in the spec."""
    first: dict[tuple[Any, ...], str] = {}
    renamed: dict[str, str] = {}
    kept: dict[str, Graph] = {}
    for name, graph in program.graphs.items():
        folded = _renamed(graph, renamed)
        known = first.setdefault(folded.structure(), name) if name != program.root else name
        renamed[name] = known
        if known == name:
            kept[name] = folded
    return program.with_graphs(kept)


def _renamed(graph: Graph, renamed: dict[str, str]) -> Graph:
    whats = [_what(node, renamed) for node in graph]
    if whats == [node.what for node in graph]:
        return graph
    made = copied(graph)
    for node, what in zip(graph, whats, strict=True):
        made.keep(node, what=what)
    return made.finish()


def _what(node: Node, renamed: dict[str, str]) -> Any:
    if isinstance(node.what, Call):
        return Call(renamed[node.what.graph])
    if isinstance(node.what, Scan):
        return replace(node.what, graph=renamed[node.what.graph])
    if isinstance(node.what, Repeat):
        return replace(node.what, bodies=tuple(renamed[body] for body in node.what.bodies))
    return node.what
