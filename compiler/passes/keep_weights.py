"""Keep weights: attention is written out and keeps where it looked, for people to see."""

from dataclasses import fields, replace
from typing import Any, Final

from compiler.ir.graph import Graph, Node, Scan, What, copied
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import text
from compiler.ops import LatentAttention, ScaledDotProductAttention, SourceWeights
from compiler.ops.kept import KeptAttention, KeptLatentAttention, KeptSourceWeights

ABOUT = (
    "The model with its attention written out. After a run every module that has a list `kept` "
    "holds in it the weights of its attention: [B, H, T, S], or [B, S] for each step of a "
    "recurrence. They show where the mixture went, not what the model relied on."
)


KEEPING: Final = (LatentAttention, ScaledDotProductAttention, SourceWeights)


def attends(program: Program) -> bool:
    """Whether anything in a program mixes a source by weights."""
    return any(
        isinstance(node.what, KEEPING) for graph in program.graphs.values() for node in graph
    )


def keep_weights(program: Program) -> Program:
    """The program with operators that keep their weights; parameters, types and values stay."""
    steps = {
        node.what.graph: text(node.what.times)
        for graph in program.graphs.values()
        for node in graph
        if isinstance(node.what, Scan)
    }
    graphs = {
        name: _kept(graph, program, steps.get(name, "T")) for name, graph in program.graphs.items()
    }
    return replace(program.with_graphs(graphs), about=f"{ABOUT} {program.about}".strip())


def _kept(graph: Graph, program: Program, steps: str) -> Graph:
    made = copied(graph)
    for node in graph:
        what = _what(graph, node, program, steps)
        inputs = made.moved(node.inputs)
        if isinstance(what, KeptAttention):
            inputs += (None,) * (len(what.signature.inputs) - len(inputs))
        made.keep(node, what=what, inputs=inputs)
    return made.finish()


def _what(graph: Graph, node: Node, program: Program, steps: str) -> What:
    if isinstance(node.what, ScaledDotProductAttention):
        queries, sources = (_axis(node.what, graph, node, program, letter) for letter in "TS")
        return KeptAttention(**_fields(node.what), queries=queries, sources=sources)
    if isinstance(node.what, LatentAttention):
        queries, sources = (_axis(node.what, graph, node, program, letter) for letter in "TS")
        return KeptLatentAttention(**_fields(node.what), queries=queries, sources=sources)
    if isinstance(node.what, SourceWeights):
        sources = _axis(node.what, graph, node, program, "S")
        return KeptSourceWeights(queries=steps, sources=sources)
    return node.what


def _axis(what: Operator, graph: Graph, node: Node, program: Program, letter: str) -> str:
    """What a letter of the operator stands for in this graph, as text."""
    return text(what.bind(graph.types(node.inputs), program.key).letters[letter])


def _fields(what: Operator) -> dict[str, Any]:
    return {each.name: getattr(what, each.name) for each in fields(what)}
