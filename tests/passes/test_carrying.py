"""Recurrences that go on: what they carry is threaded to the root, through stacks and calls."""

from typing import Any

import pytest

from compiler.ir.text import program_text
from compiler.ops import PastState, PresentState
from compiler.passes.carrying import Carrying
from compiler.passes.shapes import shapes
from tests.lower.specs import MLP, PRE, model
from tests.verify.models import made


def language_model(**nodes: Any) -> dict[str, Any]:
    """Embedded ids, some nodes, and logits of the words that are read."""
    first = {"tok": {"embed": {"vocab": 50, "dim": 16}, "in": "ids"}}
    return model(first | nodes | {"logits": {"unembed": {"vocab": 50}}}, defaults=PRE)


def rnn(cell: str, dim: int = 16, **more: Any) -> dict[str, Any]:
    return {"rnn": {"cell": cell, "dim": dim, **more}}


def stack(cell: str, repeat: int, **more: Any) -> dict[str, Any]:
    """Layers of a recurrence and a network, each with a path around it."""
    return {"stack": {"repeat": repeat, "layer": {"mix": rnn(cell), "mlp": MLP}, **more}}


CASES = {
    "layers of one": language_model(h=rnn("gru", 12, layers=2)),
    "one above the other": language_model(h=rnn("lstm"), g=rnn("rnn", 8)),
    "in a stack": language_model(h=stack("lstm", 3)),
    "in turns": language_model(h=stack("lstm", 5, cycle=[{}, {"mix": rnn("gru")}])),
    "shared layers": language_model(h=stack("rnn", 3, share=True)),
}
PATHS = {
    "layers of one": ["h.h"],
    "one above the other": ["h.h", "h.c", "g.h"],
    "in a stack": ["h.*.mix.rnn.h", "h.*.mix.rnn.c"],
    "in turns": [f"h.*.mix.rnn.{each}" for each in "hchhc"],
    "shared layers": ["h.*.mix.rnn.h"],
}


@pytest.mark.parametrize("name", CASES)
def test_every_recurrence_has_its_states_at_the_root(name: str) -> None:
    fused = made(CASES[name]).fused
    graphs, states = Carrying(fused).whole()
    found = fused.with_graphs(graphs)
    assert [state.path for state in states] == PATHS[name]
    assert set(found.main.inputs) - set(fused.main.inputs) == {state.name for state in states}
    assert all(found.main.type(found.main.inputs[s.name]) == s.type for s in states)
    assert shapes(found) is found
    assert found.parameters() == fused.parameters()


@pytest.mark.parametrize("name", CASES)
def test_what_a_step_takes_it_gives(name: str) -> None:
    fused = made(CASES[name]).fused
    graphs, _ = Carrying(fused).whole()
    operators = [node.what for graph in graphs.values() for node in graph]
    taken, given = (
        [each for each in operators if isinstance(each, kind)] for kind in (PastState, PresentState)
    )
    assert len(taken) == len(given) > 0


def test_the_text_of_a_step() -> None:
    fused = made(CASES["layers of one"]).fused
    graphs, _ = Carrying(fused).whole()
    lines = program_text(fused.with_graphs(graphs)).splitlines()
    assert [line for line in lines if line.startswith(("graph main", "  h", "  present"))] == [
        "graph main(ids: int[B T], h_h: float[2 B W]?)",
        "  h_past_h: float[2 B W] = PastState(h_h)",
        "  h: float[B T W], float[2 B W] = Recurrence D=W O=W N=2 kind=gru layers=2 ways=1"
        "(tok, h_past_h, -)",
        "  present_h_h: float[2 B W] = PresentState(h.1, h_h)",
    ]
