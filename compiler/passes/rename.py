"""Rename: a graph over one sequence calls its positions T, whichever sequence of the model it
serves."""

from collections.abc import Mapping

from compiler.ir.graph import Graph, Scan, copied
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.size import Size, letter
from compiler.ir.types import TensorType

SEQUENCE_ROLES = ("target", "source", "set", "patches")


def rename(program: Program) -> Program:
    """The program whose graphs below the root are ready to be folded across sequences.

    Only for what runs the graphs: costs tell the sequences apart and are taken before.
    """
    steps = {
        node.what.graph
        for graph in program.graphs.values()
        for node in graph
        if isinstance(node.what, Scan)
    }
    graphs = {
        name: graph if name == program.root or name in steps else _renamed(graph, program.key)
        for name, graph in program.graphs.items()
    }
    return program.with_graphs(graphs)


def _renamed(graph: Graph, key: Letters) -> Graph:
    types = [found for node in graph for found in node.types]
    used = {name for found in types for name in found.count.letters}
    free = {name: known for name, known in key.key.items() if known.size is None}
    lengths = [name for name in used if name in free and free[name].role in SEQUENCE_ROLES]
    target = next((name for name, known in free.items() if known.role == "target"), "")
    if len(lengths) != 1 or not target or lengths[0] == target:
        return graph
    put = {lengths[0]: letter(target)}
    made = copied(graph)
    for node in graph:
        types_ = tuple(
            TensorType(t.element, tuple(_put(s, put) for s in t.shape), t.optional)
            for t in node.types
        )
        made.keep(node, types=types_)
    return made.finish()


def _put(size: Size, put: Mapping[str, Size]) -> Size:
    return size if isinstance(size, int) else size.at(put)
