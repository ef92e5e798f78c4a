"""Programs: folded places and the flat model agree about paths, uses and parameters."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.ir.graph import Call, Graph, Node, Repeat, Value
from compiler.ir.letters import Letters
from compiler.ir.program import Program, any_layer, first_layer, join, layer_mark, layers
from compiler.ir.size import value
from compiler.ir.types import TensorType
from compiler.ops import Linear

KEY = Letters()
B, D = KEY.free("batch"), KEY.fixed("width", 4)
X = TensorType("float", (B, D))


def block(name: str, maps: int) -> Graph:
    """A graph of some linear maps, the last of which is called through a graph of its own."""
    graph = Graph(name, name)
    x = graph.enter("x", X)
    for index in range(maps):
        (x,) = graph.add(Node(f"map{index}", Linear(D), (x,), (X,)))
    graph.outputs["x"] = x
    return graph


def program(*repeats: Repeat) -> Program:
    """`h` is a list of layers, one repeat after another under one name."""
    graphs = {"one": block("one", 1), "two": block("two", 2)}
    caller = Graph("caller", "caller")
    x = caller.enter("x", X)
    (x,) = caller.add(Node("inner", Call("two"), (x,), (X,)))
    caller.outputs["x"] = x
    main = Graph("main", "m")
    y = main.enter("x", X)
    for index, repeat in enumerate(repeats):
        id_ = "h" if index == 0 else f"h_{repeat.start}"
        (y,) = main.add(Node(id_, repeat, (y,), (X,), under="h" if index else ""))
    (y,) = main.add(Node("last", Call("caller"), (y,), (X,)))
    main.outputs["y"] = y
    return Program("p", {**graphs, "caller": caller, "main": main}, "main", KEY)


ONE = ((0,),)
SOME = [
    program(Repeat(("one",), 3, ONE)),
    program(Repeat(("one", "two"), 2, ONE * 2), Repeat(("two",), 1, ONE, start=4)),
    program(Repeat(("one",), 5, ONE, share=True)),
]


def test_paths_of_the_flat_model() -> None:
    assert [path for path, _, _ in SOME[1].flat()] == [
        "h.0.map0", "h.1.map0", "h.1.map1", "h.2.map0", "h.3.map0", "h.3.map1",
        "h.4.map0", "h.4.map1", "last.inner.map0", "last.inner.map1",
    ]  # fmt: skip


def test_paths_of_the_folded_model() -> None:
    assert [(p.path, value(p.uses), value(p.copies)) for p in SOME[1].places()] == [
        ("h.0..3:2.map0", 2, 2),
        ("h.1..4:2.map0", 2, 2),
        ("h.1..4:2.map1", 2, 2),
        ("h.4.map0", 1, 1),
        ("h.4.map1", 1, 1),
        ("last.inner.map0", 1, 1),
        ("last.inner.map1", 1, 1),
    ]


def test_shared_layers_run_often_and_are_there_once() -> None:
    first = next(SOME[2].places())
    assert (first.path, value(first.uses), value(first.copies)) == ("h.0..5.map0", 5, 1)
    assert list(SOME[2].parameters()) == [
        "h.0.map0.weight",
        "last.inner.map0.weight",
        "last.inner.map1.weight",
    ]


@pytest.mark.parametrize("found", SOME, ids=["plain", "cycle", "shared"])
def test_folded_and_flat_count_the_same_parameters(found: Program) -> None:
    folded = sum(value(place.copies) * 16 for place in found.places())
    flat = sum(value(p.count, KEY.sizes) for p in found.parameters().values())
    assert folded == flat


repeats = st.builds(
    Repeat,
    bodies=st.lists(st.sampled_from(["one", "two"]), min_size=1, max_size=3).map(tuple),
    times=st.integers(1, 5),
    wires=st.just(((0,),)),
    start=st.integers(0, 9),
)


@given(repeats)
def test_layers_count_up_from_the_start_through_the_bodies(repeat: Repeat) -> None:
    found = list(layers(repeat))
    assert [index for index, _ in found] == [*range(repeat.start, repeat.start + repeat.layers)]
    assert [body for _, body in found] == list(repeat.bodies) * repeat.times


@given(repeats)
def test_a_mark_names_the_layers_of_one_body(repeat: Repeat) -> None:
    for offset in range(len(repeat.bodies)):
        mark = layer_mark(repeat, offset)
        first, _, rest = mark.partition("..")
        end, _, step = rest.partition(":")
        meant = range(int(first), int(end or int(first) + 1), int(step or 1))
        at = [repeat.start + r * len(repeat.bodies) + offset for r in range(repeat.times)]
        assert list(meant) == at


def test_paths_are_joined_with_dots() -> None:
    assert join("", "h") == "h"
    assert join("h.0", "q") == "h.0.q"


def test_other_graphs_leave_the_rest_as_it_is() -> None:
    found = SOME[0].with_graphs({"main": SOME[0].main})
    assert (found.name, found.root, found.key) == (SOME[0].name, SOME[0].root, KEY)
    assert found.main is SOME[0].main


def test_every_value_of_the_root_is_read_by_somebody_or_is_an_output() -> None:
    for found in SOME:
        read = Counter(v.node for node in found.main for v in node.inputs if v is not None)
        outputs = {value.node for value in found.main.outputs.values()}
        assert {node.id for node in found.main} == set(read) | outputs
        assert Value("last") in found.main.outputs.values()


@pytest.mark.parametrize(
    ("path", "first", "every"),
    [
        ("dec.0..12:2.cross.k", "dec.0.cross.k", "dec.*.cross.k"),
        ("h.3..7", "h.3", "h.*"),
        ("h.5.mlp", "h.5.mlp", "h.*.mlp"),
        ("conv_1.up", "conv_1.up", "conv_1.up"),
    ],
)
def test_layers_in_a_path(path: str, first: str, every: str) -> None:
    assert (first_layer(path), any_layer(path)) == (first, every)
