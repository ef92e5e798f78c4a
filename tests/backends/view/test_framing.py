"""Frames hold what the program holds: every operator, every edge, every shape."""

import pytest

from compiler.backends.view.framing import framed
from compiler.backends.view.picture import TIMES, Frame
from compiler.ir.graph import Entry
from compiler.ir.operator import Operator
from tests.backends.view.pictures import EVERY, program, small


@pytest.mark.parametrize("name", EVERY)
def test_folded_has_every_operator_of_the_folded_program_once(name: str) -> None:
    found = program(name)
    boxes = [box for box in framed(found).boxes() if box.kind == "operator"]
    assert len(boxes) == sum(1 for _ in found.places())
    assert len({box.id for box in framed(found).boxes()}) == len(list(framed(found).boxes()))


@pytest.mark.parametrize("name", ["decoder/gpt2", "encoder-decoder/transformer-base"])
def test_expanded_has_every_operator_of_the_flat_program(name: str) -> None:
    found = program(name)
    boxes = [box for box in framed(found, expand=True).boxes() if box.kind == "operator"]
    flat = [node for _, node, _ in found.flat() if isinstance(node.what, Operator)]
    assert [box.family for box in boxes] == [type(node.what).__name__ for node in flat]


@pytest.mark.parametrize("expand", [False, True])
def test_every_input_of_every_operator_is_wired(expand: bool) -> None:
    found = program("decoder/llama3-8b")
    frame = framed(found, expand=expand)
    arrivals = [target for _, target, _ in frame.through()]
    for box in frame.boxes():
        if box.kind == "port":
            assert arrivals.count(box.id) == 1, box
    operators = [
        node
        for graph in found.graphs.values()
        for node in graph
        if isinstance(node.what, Operator) and not isinstance(node.what, Entry)
    ]
    if not expand:
        wired = sum(1 for value in operators for v in value.inputs if v is not None)
        ids = {box.id for box in frame.boxes() if box.kind == "operator"}
        assert sum(target in ids for target in arrivals) == wired


def test_shapes_are_on_the_wires() -> None:
    labels = {wire.label for _, _, wire in framed(program("decoder/llama3-8b")).through()}
    assert {"B T", "B T D", "B H T K", "B G S K", "B T V"} <= labels


def test_repeats_say_how_often() -> None:
    (stack,) = [f for f in framed(program("decoder/gpt2")).frames() if f.times > 1]
    assert stack.heading == f"h: block {TIMES} 12"


def inner(frame: Frame) -> list[str]:
    return [part.title for part in frame.parts if isinstance(part, Frame)]


def test_a_cycle_is_a_frame_of_its_layers() -> None:
    (stack,) = [part for part in framed(small()).parts if isinstance(part, Frame)]
    assert stack.heading == f"h {TIMES} 3"
    assert inner(stack) == ["h.0..5:2: block", "h.1..6:2: block"]


def test_expanded_layers_come_one_after_the_other() -> None:
    frame = framed(small(), expand=True)
    assert inner(frame) == [f"h.{i}: block" for i in range(6)]
    chain = [
        (wire.source.part, wire.target) for wire in frame.wires if wire.target.startswith("h.")
    ]
    assert chain == [("tok", "h.0"), *((f"h.{i}", f"h.{i + 1}") for i in range(5))]
