"""Graphs by chance: inlined, named or named again, a value is never taken for another."""

import inspect
import re
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler import ops
from compiler.ir.graph import Call, Graph, Node, Repeat, Value
from compiler.ir.letters import Letters
from compiler.ir.operator import Operator
from compiler.ir.program import Program
from compiler.ir.types import TensorType
from tests.backends.torch.live import Live, apart

KEY = Letters()
B, T, D, M = KEY.free("batch"), KEY.free("target"), KEY.fixed("width", 4), KEY.fixed("hidden", 6)
NARROW, WIDE = TensorType("float", (B, T, D)), TensorType("float", (B, T, M))
BOTH = TensorType("float", (B, T, D + M))
IDS = ("x", "y", "z", "q", "k", "v", "a", "b", "D", "T", "block", "layer", "torch")


def choose(draw: Any, graph: Graph, kind: TensorType) -> Value:
    """Any value of a type that the graph has."""
    values = [Value(n.id, port) for n in graph for port, t in enumerate(n.types) if t == kind]
    return draw(st.sampled_from(values))  # type: ignore[no-any-return]


def grow(draw: Any, graph: Graph, callees: list[Graph]) -> None:
    """Add one operator, call or repeat over values that are there."""
    wish = graph.free_id(draw(st.sampled_from(IDS)))
    x, y = choose(draw, graph, NARROW), choose(draw, graph, NARROW)
    kind = draw(st.integers(0, 9 if callees else 7))
    if kind >= 8:
        body = draw(st.sampled_from(callees)).name
        called = kind == 8
        what: Any = Call(body) if called else Repeat((body,) * 2, 2, ((0, 1), (1, 0)))
        graph.add(Node(wish, what, (x, y), (NARROW,)))
        return
    if kind == 7:
        joined = graph.add(Node(wish, ops.Concat(), (x, choose(draw, graph, WIDE)), (BOTH,)))
        parts = ops.Split((D, M), draw(st.sampled_from([(), ("q", "k"), ("x", "x2")])))
        graph.add(Node(graph.free_id(f"{wish}_parts"), parts, joined, (NARROW, WIDE)))
        return
    operator: Operator = (
        ops.Add(),
        ops.Multiply(),
        ops.Scale(0.5),
        ops.Activation("quick_gelu"),
        ops.LayerNorm(1e-5),
        ops.Linear(D, bias=True),
        ops.Activation("gelu"),
    )[kind]
    inputs = (x, y)[: len(operator.signature.inputs)]
    graph.add(Node(wish, operator, inputs, (NARROW,)))


def made(draw: Any, name: str, callees: list[Graph]) -> Graph:
    """A graph of two inputs and some nodes, some of which are its outputs."""
    graph = Graph(name, name)
    graph.enter("x", NARROW)
    graph.enter("m" if callees else "x2", NARROW)
    wide = ops.Linear(M)
    graph.add(Node("wide", wide, (Value("x"),), (WIDE,)))
    for _ in range(draw(st.integers(2, 9))):
        grow(draw, graph, callees)
    last = list(graph)[-1]
    graph.outputs["result"] = next(
        Value(last.id, port) for port, kind in enumerate(last.types) if kind == NARROW
    )
    if callees:
        graph.outputs["other"] = choose(draw, graph, NARROW)
    return graph


@st.composite
def programs(draw: Any) -> Program:
    """A root over two callees."""
    callees = [made(draw, name, []) for name in ("One", "Two")]
    main = made(draw, "main", callees)
    graphs = {graph.name: graph for graph in (*callees, main)}
    return Program("chance", graphs, "main", KEY)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(programs())
def test_every_name_means_what_it_should(program: Program) -> None:
    live = Live(program)
    inputs = live.inputs(2, 3)
    pairs = zip(live.found(inputs), live.expected(inputs), strict=True)
    assert all(apart(found, expected) <= 1e-5 for found, expected in pairs)


@settings(deadline=None, derandomize=True, max_examples=30)
@given(programs())
def test_a_name_ends_in_the_dimensions_of_what_it_holds(program: Program) -> None:
    """Behind every assignment to a name with dimensions stands a check of the shape."""
    live = Live(program)
    sizes = {"B": 2, "T": 3, **KEY.sizes}
    lines: list[str] = []
    for line in live.generated.text.split("\n"):
        lines.append(line)
        found = re.fullmatch(r"( +)([a-z]\w*)_([A-Z]+) = .*[^(]", line)
        if found:
            shape = tuple(sizes[letter] for letter in found[3])
            lines.append(f"{found[1]}assert {found[2]}_{found[3]}.shape == {shape}")
    module: dict[str, Any] = {}
    exec("\n".join(lines), module)
    model = module[live.generated.name]().double()
    taken = inspect.signature(model.forward).parameters
    model(*(torch.randn(2, 3, 4).double() for _ in taken))
