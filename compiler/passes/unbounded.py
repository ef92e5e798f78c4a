"""Unbounded: an attention forgets how far its mask reaches, which the mask says and only costs
ask."""

from dataclasses import replace

from compiler.ir.graph import Graph, copied
from compiler.ir.program import Program
from compiler.ops import LatentAttention, ScaledDotProductAttention


def unbounded(program: Program) -> Program:
    """The program whose layers are the same code whatever their windows are: only their masks
    differ.

    Only for what runs the graphs: costs are taken before.
    """
    graphs = {name: _forgetful(graph) for name, graph in program.graphs.items()}
    return program.with_graphs(graphs)


def _forgetful(graph: Graph) -> Graph:
    made = copied(graph)
    for node in graph:
        what = node.what
        if isinstance(what, LatentAttention | ScaledDotProductAttention):
            what = replace(what, window=None, chunk=None)
        made.keep(node, what=what)
    return made.finish()
