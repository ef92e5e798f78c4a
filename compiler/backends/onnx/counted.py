"""Decoders whose attentions ONNX Runtime counts by itself: `GroupQueryAttention` in every layer."""

from typing import Final

from compiler.ir.graph import Graph, Node, Value
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.size import Size, constant
from compiler.ir.target import Target
from compiler.ops import (
    Alibi,
    CacheUpdate,
    CausalMask,
    CountedPlaces,
    LastPosition,
    LearnedPositions,
    Newest,
    RopeAngles,
    SeenMask,
)
from compiler.ops.attention import ScaledDotProductAttention
from compiler.ops.keeps import Keeps

GRAIN: Final = 8
"""What a head's width must be a multiple of."""


def counted(program: Program, target: Target) -> bool:
    """Whether all attentions with a cache can be `GroupQueryAttention` on `target`.

    It counts how many keys each row of a batch has, so that masks of order, windows and padding are
    its own, and its cache may lie in one buffer. So nothing else may decide what a query sees, and
    nothing but rotary angles, learned places and linear biases may know where a row begins.
    """
    main = program.main
    beside = [f"{program.grown}_{kind}" for kind in ("types", "segments")]
    if not target.groups or not program.grown or any(name in main.inputs for name in beside):
        return False
    places = [(node, graph) for _, node, graph in program.flat()]
    keeps = [(node, graph) for node, graph in places if isinstance(node.what, Keeps)]
    return bool(keeps) and all(
        _fits(node, graph, program) if isinstance(node.what, Keeps) else _counts(node, graph)
        for node, graph in places
    )


def _counts(node: Node, graph: Graph) -> bool:
    """Whether an operator does not mind that rows begin at places of their own."""
    operator = node.what
    assert isinstance(operator, Operator)
    given = _given(node)
    match operator:
        case SeenMask():
            rest = given.keys() - {"x", "pos", "real"}
            return operator.causal and operator.chunk is None and not rest
        case RopeAngles():
            return operator.scaling is None or not operator.scaling.by_length
        case Alibi():
            return operator.causal
        case Newest():
            return isinstance(graph[given["marks"].node].what, CountedPlaces)
        case LearnedPositions() | CausalMask() | CountedPlaces() | LastPosition():
            return True
    return given.keys().isdisjoint({"pos", "real"})


def _given(node: Node) -> dict[str, Value]:
    """The inputs of an operator that are connected, by port."""
    assert isinstance(node.what, Operator)
    ports = zip(node.what.signature.inputs, node.inputs, strict=True)
    return {port.name: found for port, found in ports if found is not None}


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
