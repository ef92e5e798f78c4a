"""Fold: equal graphs become one, and the model stays what it was."""

from typing import Any

import pytest

from compiler.passes.fold import fold
from compiler.passes.shapes import shapes
from tests.lower.specs import ATTENTION, MLP, PRE, decoder, encoder_decoder, model, program


def towers(second: dict[str, Any]) -> dict[str, Any]:
    """Two stacks over the same tokens."""
    layer = {"attn": {"attention": {"heads": 4}}, "mlp": MLP}
    graph = {
        "e": {"embed": {"vocab": 9, "dim": 16}, "in": "ids"},
        "a": {"stack": {"repeat": 2, "layer": layer}, "in": "e"},
        "b": {"stack": {"repeat": 3, "layer": {**layer, **second}}, "in": "e"},
    }
    return model(graph, defaults=PRE) | {"outputs": ["a", "b"]}


SPECS = {
    "decoder": decoder(),
    "cycle": decoder(repeat=4, cycle=[{"mlp.act": "gelu"}, {}]),
    "towers": towers({}),
    "translator": encoder_decoder(),
}


def test_equal_towers_share_all_their_graphs() -> None:
    found = fold(program(towers({})))
    assert list(found.graphs) == ["a.layer.attn", "a.layer.mlp", "a.layer", "main"]
    bodies = [node.what.bodies for node in found.main if hasattr(node.what, "bodies")]
    assert bodies == [("a.layer",), ("a.layer",)]


def test_towers_that_differ_in_a_part_share_the_other_parts() -> None:
    found = fold(program(towers({"mlp": {"mlp": {"hidden": 24, "act": "gelu"}}})))
    assert list(found.graphs) == [
        "a.layer.attn",
        "a.layer.mlp",
        "a.layer",
        "b.layer.mlp",
        "b.layer",
        "main",
    ]


def test_layers_that_differ_in_a_scalar_are_two() -> None:
    found = fold(program(decoder(repeat=4, cycle=[{"mlp.branch_scale": 0.5}, {}])))
    assert [name for name in found.graphs if name.endswith(".attn")] == ["h.layer.attn"]
    assert [name for name in found.graphs if name.endswith(".mlp")] == [
        "h.layer.mlp",
        "h.layer_2.mlp",
    ]


def test_another_size_is_another_graph() -> None:
    found = fold(program(towers({"mlp": {"mlp": {"hidden": 25, "act": "relu"}}})))
    assert "b.layer.mlp" in found.graphs


@pytest.mark.parametrize("name", SPECS)
def test_the_model_stays_what_it_was(name: str) -> None:
    plain = program(SPECS[name])
    found = shapes(fold(plain))
    assert [(path, node.what) for path, node, _ in found.flat()] == [
        (path, node.what) for path, node, _ in plain.flat()
    ]
    assert found.parameters() == plain.parameters()


@pytest.mark.parametrize("name", SPECS)
def test_after_folding_no_two_graphs_are_equal(name: str) -> None:
    found = fold(program(SPECS[name]))
    structures = [graph.structure() for graph in found.graphs.values()]
    assert len(set(structures)) == len(structures)
    assert list(fold(found).graphs) == list(found.graphs)


def test_the_first_of_equals_keeps_its_name_and_its_place() -> None:
    plain = program(towers({}))
    found = fold(plain)
    assert found.graphs["a.layer.mlp"].span == plain.graphs["a.layer.mlp"].span
    assert ATTENTION["attention"]["heads"] == 4
