"""A program as text: short, complete, and the same for the same program."""

from compiler.ir.graph import Call, Graph, Node, Repeat, Value
from compiler.ir.init import Init
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from compiler.ir.text import graph_lines, program_text
from compiler.ir.types import TensorType
from compiler.ops import Activation, Add, Linear, Split

TEXT = """\
program small
  B  batch
  D = 6 (d_model)  width
  M = 12 (2*d_model)  mlp width
  L = 4  layers

graph layer(x: float[B D])
  up: float[B M] = Linear O=M bias=True init=normal(0.02)(x)
  parts: float[B D], float[B D] = Split parts=(D, D) names=(a, b)(up)
  act: float[B D] = Activation kind=relu(parts.0)
  add: float[B D] = Add(act, parts.1)
  return x=add

graph main(x: float[B D], kv: float[L B D]?)
  h: float[B D] = repeat 2 x [layer, layer] from 0(x)
  s: float[B D] = repeat 3 x [layer] from 4 shared(h)
  c: float[B D] = call layer(s)
  empty: float[B D] = Add(-, c)
  return y=c, empty
"""


def program() -> Program:
    key = Letters()
    B = key.free("batch")
    D, M = key.fixed("width", 6, "d_model"), key.fixed("hidden", 12, "2*d_model")
    L = key.fixed("layers", 4)
    narrow, wide = TensorType("float", (B, D)), TensorType("float", (B, M))
    layer = Graph("layer", "block")
    x = layer.enter("x", narrow)
    linear = Linear(M, bias=True, init=Init("normal", 0.02))
    (up,) = layer.add(Node("up", linear, (x,), (wide,)))
    split = Split((D, D), ("a", "b"))
    a, b = layer.add(Node("parts", split, (up,), (narrow, narrow)))
    (act,) = layer.add(Node("act", Activation("relu"), (a,), (narrow,)))
    layer.outputs["x"] = layer.add(Node("add", Add(), (act, b), (narrow,)))[0]
    main = Graph("main", "small")
    x = main.enter("x", narrow)
    main.enter("kv", TensorType("float", (L, B, D), optional=True))
    twice = Repeat(("layer", "layer"), 2, ((0,), (0,)))
    shared = Repeat(("layer",), 3, ((0,),), start=4, share=True)
    (h,) = main.add(Node("h", twice, (x,), (narrow,)))
    (s,) = main.add(Node("s", shared, (h,), (narrow,)))
    (c,) = main.add(Node("c", Call("layer"), (s,), (narrow,)))
    (empty,) = main.add(Node("empty", Add(), (None, c), (narrow,)))
    main.outputs = {"y": c, "empty": empty}
    return Program("small", {"layer": layer, "main": main}, "main", key)


def test_everything_that_a_program_can_hold() -> None:
    assert program_text(program()) == TEXT


def test_the_text_of_a_graph_is_its_part_of_the_programs() -> None:
    found = program()
    for graph in found.graphs.values():
        assert "\n".join(graph_lines(graph)) in program_text(found)
    assert Value("h") in [value for node in found.main for value in node.inputs]
