"""Graphs: what may be added, who reads what, and how a pass builds another graph."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.ir.graph import Graph, Node, Repeat, Value, copied
from compiler.ir.size import letter
from compiler.ir.types import TensorType
from compiler.ops import Add, Multiply, Split

B = letter("B")
X = TensorType("float", (B, 4))
HALF = TensorType("float", (B, 2))


def small() -> Graph:
    """x, then twice = x + x, then left and right = the halves of twice, then product."""
    graph = Graph("g", "title")
    x = graph.enter("x", X)
    (twice,) = graph.add(Node("twice", Add(), (x, x), (X,)))
    left, right = graph.add(Node("halves", Split((2, 2), ("l", "r")), (twice,), (HALF, HALF)))
    (result,) = graph.add(Node("product", Multiply(), (left, right), (HALF,)))
    graph.outputs["y"] = result
    return graph


def test_nodes_come_in_the_order_in_which_they_were_added() -> None:
    assert [node.id for node in small()] == ["x", "twice", "halves", "product"]


def test_a_name_is_given_once() -> None:
    with pytest.raises(ValueError, match="graph g has two nodes called twice"):
        small().add(Node("twice", Add(), (Value("x"), Value("x")), (X,)))


def test_a_node_reads_only_what_is_there() -> None:
    with pytest.raises(ValueError, match="late reads nothing, which is not there yet"):
        small().add(Node("late", Add(), (Value("nothing"), Value("x")), (X,)))
    with pytest.raises(ValueError, match="own reads own, which is not there yet"):
        small().add(Node("own", Add(), (Value("own"), Value("x")), (X,)))


def test_readers_tell_ports_apart() -> None:
    graph = small()
    assert [(n.id, port) for n, port in graph.readers(Value("x"))] == [("twice", 0), ("twice", 1)]
    assert [(n.id, port) for n, port in graph.readers(Value("halves", 1))] == [("product", 1)]
    assert graph.readers(Value("product")) == []


def test_an_empty_port_reads_nothing() -> None:
    graph = small()
    graph.add(Node("half", Add(), (None, Value("product")), (HALF,)))
    assert [(n.id, port) for n, port in graph.readers(Value("product"))] == [("half", 1)]
    assert graph.types([None, Value("halves", 1)]) == (None, HALF)


def test_networkx_has_the_nodes_in_order_and_an_edge_for_each_input_that_is_read() -> None:
    graph = small()
    multigraph = graph.nx
    assert [(id_, data["node"]) for id_, data in multigraph.nodes(data=True)] == [
        (node.id, node) for node in graph
    ]
    assert sorted(multigraph.edges(keys=True, data="port")) == [
        ("halves", "product", 0, 0),
        ("halves", "product", 1, 1),
        ("twice", "halves", 0, 0),
        ("x", "twice", 0, 0),
        ("x", "twice", 1, 0),
    ]
    assert nx.is_directed_acyclic_graph(multigraph)


def test_networkx_has_what_was_added_later_too() -> None:
    graph = small()
    assert nx.descendants(graph.nx, "twice") == {"halves", "product"}
    graph.add(Node("late", Add(), (Value("twice"), Value("x")), (X,)))
    assert nx.descendants(graph.nx, "twice") == {"halves", "product", "late"}


@given(st.lists(st.sets(st.integers(0, 9), max_size=3), max_size=8), st.sets(st.integers(0, 9)))
def test_below_some_nodes_is_what_networkx_finds(reads: list[set[int]], roots: set[int]) -> None:
    graph = Graph("g")
    made = [graph.enter("n0", X), graph.enter("n1", X)]
    for count, wanted in enumerate(reads, 2):
        inputs = tuple(made[index] for index in sorted(wanted) if index < count)
        made += graph.add(Node(f"n{count}", Add(), inputs, (X,)))
    asked = {f"n{index}" for index in roots if index < len(made)}
    multigraph = graph.nx
    assert graph.below(*asked) == asked.union(*(nx.descendants(multigraph, id_) for id_ in asked))


def test_equal_graphs_have_equal_nodes() -> None:
    one, two = small(), small()
    assert one == two
    two.enter("z", X)
    assert one != two


@given(st.lists(st.sampled_from(["a", "a_2", "b"]), max_size=8), st.sets(st.just("a_3")))
def test_a_free_name_is_free(wishes: list[str], reserved: set[str]) -> None:
    graph = Graph("g")
    for wish in wishes:
        name = graph.free_id(wish, reserved)
        assert name == wish or name.startswith(f"{wish}_")
        assert name not in reserved
        graph.enter(name, X)
    assert len(graph.inputs) == len(wishes)


def test_structure_ignores_the_name_and_the_place_and_nothing_else() -> None:
    one, two = small(), small()
    two.name = "h"
    assert one.structure() == two.structure()
    two.title = "other"
    assert one.structure() != two.structure()
    three = small()
    three.outputs["y"] = Value("twice")
    assert one.structure() != three.structure()


def test_a_copy_is_the_same_graph_of_other_nodes() -> None:
    graph = small()
    made = copied(graph)
    for node in graph:
        made.keep(node)
    new = made.finish()
    assert new is not graph
    assert new.structure() == graph.structure()


def test_a_value_that_became_another_is_followed() -> None:
    graph = small()
    made = copied(graph)
    for node in graph:
        if node.id == "twice":
            made.values[Value("twice")] = made.values[Value("x")]
        else:
            made.keep(node)
    new = made.finish()
    assert new["halves"].inputs == (Value("x"),)
    assert "twice" not in new


def test_an_output_that_has_gone_is_a_bug() -> None:
    graph = small()
    made = copied(graph)
    for node in graph:
        if node.id == "product":
            made.values[Value("product")] = None
        else:
            made.keep(node)
    with pytest.raises(ValueError, match="output y of g has gone"):
        made.finish()


def test_a_repeat_over_some_of_its_inputs() -> None:
    """Of four inputs the second is left out: those behind it move up, and so do their slices."""
    whole = Repeat(("a", "b"), 3, ((0, 1, 3), (0, 2)), 0, (1, 3))
    made = Repeat(("a", "b"), 3, ((0, 2), (0, 1)), 0, (2,))
    assert whole.taking([(0, 3), (0, 2)]) == (made, (0, 2, 3))
    bare = Repeat(("a", "b"), 3, ((0,), ()), 0, (0,))
    assert whole.taking([(3,), ()], ()) == (bare, (3,))
    assert whole.taking([(3,), ()])[1] == (0, 3)
