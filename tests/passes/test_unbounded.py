"""Layers that differ in their windows alone become one graph, and their costs stay apart."""

import archspec
from compiler.ir.program import Program
from compiler.lower import lower
from compiler.passes.cost import cost
from compiler.passes.fold import fold
from compiler.passes.unbounded import unbounded

SPEC = {
    "name": "turns",
    "inputs": {"x": {"features": ["T", 8]}},
    "graph": {
        "h": {
            "stack": {
                "repeat": 4,
                "layer": {"attn": {"attention": {"heads": 2, "mask": "causal"}}},
                "cycle": [{"attn.window": 2}, {"attn.window": 9}],
            },
            "in": "x",
        }
    },
}


def layers(program: Program) -> int:
    return sum(name.endswith(".attn") for name in program.graphs)


def test_one_graph_for_all_windows() -> None:
    program = lower(archspec.load(SPEC))
    assert isinstance(program, Program)
    assert layers(fold(program)) == 2
    assert layers(fold(unbounded(program))) == 1


def test_costs_are_asked_before() -> None:
    program = lower(archspec.load(SPEC))
    assert isinstance(program, Program)
    seen = [row.cost.total("visible") for row in cost(program).rows if row.attends]
    assert len(set(seen)) == 2
    after = [row.cost.total("visible") for row in cost(unbounded(program)).rows if row.attends]
    assert len(set(after)) == 1


def test_twice_is_once() -> None:
    program = lower(archspec.load(SPEC))
    assert isinstance(program, Program)
    once = unbounded(program)
    again = unbounded(once)
    assert {n: g.structure() for n, g in once.graphs.items()} == {
        n: g.structure() for n, g in again.graphs.items()
    }
