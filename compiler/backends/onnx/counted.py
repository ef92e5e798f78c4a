"""Decoders whose attentions ONNX Runtime counts by itself: `GroupQueryAttention` in every layer."""

from typing import Final

from compiler.ir.graph import Graph, Node, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import Size, constant
from compiler.ir.target import Target
from compiler.ops import CacheUpdate
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.keeps import Keeps

GRAIN: Final = 8
"""What a head's width must be a multiple of."""


def counted(program: Program, target: Target) -> bool:
    """Whether all attentions with a cache can be `GroupQueryAttention` on `target`.

    It counts how many keys each row of a batch has, so that masks of order, windows and padding are
    its own, and its cache may lie in one buffer. So nothing else may decide what a query sees, and
    every operator says whether it knows rows that begin at places of their own.
    """
    main = program.main
    beside = [f"{program.grown}_{kind}" for kind in ("types", "segments")]
    if not target.groups or not program.grown or any(name in main.inputs for name in beside):
        return False
    places = [(node, graph) for _, node, graph in program.flat()]
    keeps = [(node, graph) for node, graph in places if isinstance(node.what, Keeps)]
    return (
        bool(keeps)
        and all(_fits(node, graph, program) for node, graph in keeps)
        and all(_by_row(node, graph) for node, graph in places if not isinstance(node.what, Keeps))
    )


def _by_row(node: Node, graph: Graph) -> bool:
    assert isinstance(node.what, Operator)
    return node.what.by_row({port: graph[v.node].what for port, v in _given(node).items()})


def _fits(node: Node, graph: Graph, program: Program) -> bool:
    """Whether what reads a cache can be one `GroupQueryAttention`."""
    (kept,) = graph.types(node.inputs[:1])
    assert kept is not None
    readers = [each for each in graph if Value(node.id) in each.inputs]
    return (
        isinstance(node.what, CacheUpdate)
        and _whole(program.key.fix(kept.shape[-1]))
        and all(
            isinstance(each.what, ScaledDotProductAttention) and each.what.groupable(_given(each))
            for each in readers
        )
    )


def _whole(width: Size) -> bool:
    return (constant(width) or 1) % GRAIN == 0


def _given(node: Node) -> dict[str, Value]:
    """The inputs of an operator that are connected, by port."""
    assert isinstance(node.what, Operator)
    ports = zip(node.what.signature.inputs, node.inputs, strict=True)
    return {port.name: found for port, found in ports if found is not None}
