"""Shapes: a graph whose types do not follow from its inputs is caught, wherever the mistake is."""

import dataclasses
from collections.abc import Callable

import pytest

from compiler.ir.graph import Call, Node, Repeat, copied
from compiler.ir.program import Program
from compiler.ir.size import as_poly, letter
from compiler.ir.types import TensorType
from compiler.passes.shapes import shapes
from tests.lower.specs import decoder, encoder_decoder, program

PROGRAM = program(encoder_decoder())


def with_node(name: str, id_: str, change: Callable[[Node], Node]) -> Program:
    """The program with one node changed."""
    made = copied(PROGRAM.graphs[name])
    for node in made.old:
        changed = change(node) if node.id == id_ else node
        made.keep(changed)
    return PROGRAM.with_graphs({**PROGRAM.graphs, name: made.finish()})


def typed(found: TensorType) -> Callable[[Node], Node]:
    return lambda node: dataclasses.replace(node, types=(found,))


def test_what_was_lowered_is_right() -> None:
    assert shapes(PROGRAM) is PROGRAM
    shapes(program(decoder()))


B, T, S = map(letter, "BTS")


@pytest.mark.parametrize(
    ("graph", "node", "found"),
    [
        ("dec.layer.mlp", "up", TensorType("float", (B, T, as_poly(25)))),
        ("dec.layer.mlp", "up", TensorType("int", (B, T, as_poly(24)))),
        ("memory.layer.mlp", "down", TensorType("float", (B, T, as_poly(8)))),
        ("dec.layer", "mlp", TensorType("float", (B, S, as_poly(8)))),
        ("main", "dec", TensorType("float", (B, T, as_poly(9)))),
        ("main", "seen", TensorType("bool", (B, T, S))),
    ],
)
def test_a_wrong_type_is_caught(graph: str, node: str, found: TensorType) -> None:
    with pytest.raises(ValueError, match=rf"{graph}.{node} is said to be .* and is "):
        shapes(with_node(graph, node, typed(found)))


def test_another_letter_of_the_same_size_is_no_mistake() -> None:
    shapes(with_node("dec.layer.mlp", "up", typed(TensorType("float", (B, T, as_poly(24))))))


def test_a_call_that_passes_something_else_is_caught() -> None:
    def swapped(node: Node) -> Node:
        return dataclasses.replace(node, what=Call("memory.layer.self"))

    with pytest.raises(ValueError, match=r"mlp passes .* to memory.layer.self, which takes "):
        shapes(with_node("dec.layer", "mlp", swapped))


def test_a_repeat_whose_layers_take_other_inputs_is_caught() -> None:
    def rewired(node: Node) -> Node:
        assert isinstance(node.what, Repeat)
        wires = tuple((0, *wire[2:], wire[1]) for wire in node.what.wires)
        return dataclasses.replace(node, what=dataclasses.replace(node.what, wires=wires))

    with pytest.raises(ValueError, match=r"dec passes .* to dec.layer, which takes "):
        shapes(with_node("main", "dec", rewired))
