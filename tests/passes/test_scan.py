"""Scans through the passes: what they stand for stays checked, folded, priced and drawn."""

import dataclasses
from typing import Any

import pytest

import archspec
from compiler.backends.view import draw
from compiler.ir.graph import Graph, Node, Rebuild, Scan, copied
from compiler.ir.program import Program
from compiler.ir.size import as_poly, letter, value
from compiler.ir.text import program_text
from compiler.ir.types import TensorType
from compiler.lower import lower
from compiler.passes.cost import cost
from compiler.passes.fold import fold
from compiler.passes.fuse import fuse
from compiler.passes.metrics import formulas
from compiler.passes.rename import rename
from compiler.passes.setting import Setting
from compiler.passes.shapes import shapes
from compiler.passes.stateless import stateless

B, T, S = map(letter, "BTS")


def decoder(**attend: Any) -> Program:
    """A GRU over its source: 6 and 5 wide tokens, states 4 wide."""
    looked = {
        "source": "memory",
        "score": "additive",
        "dim": 3,
        "query": "previous",
        "feed": "input",
    }
    found = lower(
        archspec.load(
            {
                "name": "m",
                "inputs": {"src": "tokens", "tgt": "tokens"},
                "graph": {
                    "s": {"embed": {"vocab": 9, "dim": 6}, "in": "src"},
                    "memory": {"rnn": {"cell": "gru", "dim": 4}},
                    "t": {"embed": {"vocab": 9, "dim": 5}, "in": "tgt"},
                    "dec": {"rnn": {"cell": "gru", "dim": 4, "attend": {**looked, **attend}}},
                },
            }
        )
    )
    assert isinstance(found, Program), found
    return found


PROGRAM = decoder()


def scan_node(program: Program) -> Node:
    return next(node for node in program.main if isinstance(node.what, Scan))


def changed(**fields: Any) -> Program:
    """The program with fields of its scan's node changed."""
    made = copied(PROGRAM.main)
    for node in made.old:
        made.keep(dataclasses.replace(node, **fields) if isinstance(node.what, Scan) else node)
    return PROGRAM.with_graphs({**PROGRAM.graphs, "main": made.finish()})


def test_a_scan_gives_its_last_states_and_stacks_the_rest() -> None:
    node = scan_node(shapes(PROGRAM))
    width = node.types[0].shape[1]
    assert PROGRAM.key.fix(width) == as_poly(4)
    assert node.types == (TensorType("float", (B, width)), TensorType("float", (B, T, width)))


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ({"times": S}, "is said to be"),
        ({"carried": 0, "cut": 2}, "passes"),
        ({"cut": 2}, "passes"),
    ],
)
def test_a_wrong_scan_is_caught(what: dict[str, Any], message: str) -> None:
    scan = scan_node(PROGRAM).what
    assert isinstance(scan, Scan)
    with pytest.raises(ValueError, match=message):
        shapes(changed(what=dataclasses.replace(scan, **what)))


def test_passes_keep_it() -> None:
    for run in (fold, fuse, stateless, rename):
        after = shapes(run(PROGRAM))
        assert scan_node(after).what == scan_node(PROGRAM).what
        assert set(after.parameters()) == set(PROGRAM.parameters())


def test_folding_two_equal_steps_leaves_one_graph() -> None:
    body = PROGRAM.graphs["dec"]
    twin = Rebuild(body, Graph("other", body.title, body.span))
    for node in body:
        twin.keep(node)
    other = twin.finish()
    scan = scan_node(PROGRAM).what
    assert isinstance(scan, Scan)
    twice = changed(what=dataclasses.replace(scan, graph="other"))
    graphs = {"dec": body, "other": other, "main": twice.main}
    folded = fold(PROGRAM.with_graphs(graphs))
    assert set(folded.graphs) == {"dec", "main"}
    assert scan_node(folded).what == scan


def test_the_parameters_of_a_step_come_once() -> None:
    shapes_ = {
        name: [value(size, PROGRAM.key.sizes) for size in found.shape]
        for name, found in PROGRAM.parameters().items()
        if name.startswith("dec")
    }
    assert shapes_ == {
        "dec_key.weight": [3, 4],
        "dec.query.weight": [3, 4],
        "dec.score.weight": [1, 3],
        "dec.cell.weight_ih": [12, 5 + 4],
        "dec.cell.weight_hh": [12, 4],
        "dec.cell.bias_ih": [12],
        "dec.cell.bias_hh": [12],
    }


def test_a_step_is_paid_for_at_every_position() -> None:
    rows = {row.path: row for row in cost(PROGRAM).rows}
    at = {"B": 2, "T": 7, "S": 11, **PROGRAM.key.sizes}
    work = {path: value(row.cost.matmul, at) for path, row in rows.items()}
    assert work["dec.cell"] == 2 * 2 * 7 * 3 * 4 * (5 + 4 + 4)
    assert work["dec.query"] == 2 * 2 * 7 * 3 * 4
    assert work["dec.score"] == 2 * 2 * 7 * 11 * 3
    assert work["dec.mix"] == 2 * 2 * 7 * 11 * 4
    assert work["dec_key"] == 2 * 2 * 11 * 3 * 4


def test_totals_know_steps_and_pairs() -> None:
    found = formulas(cost(PROGRAM), Setting("fp32"))
    at = {"B": 2, "T": 7, "S": 11, **PROGRAM.key.sizes}
    assert value(found["sequential_steps"], at) == 7 + 11
    assert value(found["attention_flops"], at) == 2 * 2 * 7 * 11 * (3 + 4)
    assert value(found["attention_matrix_bytes_total"], at) == 4 * 2 * 7 * 11


def test_text_and_pictures_show_it() -> None:
    assert "scan T x dec carrying 1, cutting 1" in program_text(PROGRAM)
    for form in ("svg", "dot", "mermaid"):
        assert "cell" in draw(PROGRAM, form)
