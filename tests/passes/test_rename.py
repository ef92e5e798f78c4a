"""Rename: layers over another sequence become the same layers, and only in what runs them."""

import pytest

from compiler.passes.fold import fold
from compiler.passes.rename import rename
from compiler.passes.shapes import shapes
from tests.backends.torch.live import live
from tests.lower.specs import decoder, encoder_decoder, program


def test_layers_over_source_and_target_are_folded_together() -> None:
    plain = program(encoder_decoder())
    assert {"memory.layer.mlp", "dec.layer.mlp"} <= set(fold(plain).graphs)
    found = fold(rename(plain))
    assert "memory.layer.mlp" in found.graphs
    assert "dec.layer.mlp" not in found.graphs


def test_a_graph_over_one_sequence_calls_its_positions_t() -> None:
    plain = program(encoder_decoder())
    (x,) = plain.graphs["memory.layer.mlp"]["x"].types
    assert str(x) == "float[B S D]"
    (x,) = rename(plain).graphs["memory.layer.mlp"]["x"].types
    assert str(x) == "float[B T D]"


def test_a_graph_over_two_sequences_keeps_both() -> None:
    plain = program(encoder_decoder())
    cross = rename(plain).graphs["dec.layer.cross"]
    assert str(cross["memory"].types[0]) == "float[B S D]"
    assert str(cross["x"].types[0]) == "float[B T D]"


def test_a_length_that_an_image_fixes_is_no_target() -> None:
    cells = {"patches": {"size": 2, "image": 4, "dim": 8, "prefix": ["cls"]}, "in": "image"}
    layer = {"mlp": {"mlp": {"hidden": 6, "act": "relu"}}}
    graph = {
        "x": cells,
        "seen": {"stack": {"repeat": 1, "layer": layer}},
        "h": {"stack": {"repeat": 1, "layer": layer}, "in": "set"},
    }
    inputs = {"image": {"image": [3, 4, 4]}, "set": {"vectors": ["N", 8]}}
    spec = {"name": "m", "inputs": inputs, "graph": graph, "outputs": ["seen", "h"]}
    plain = program(spec)
    (before,) = plain.graphs["h.layer.mlp"]["x"].types
    (after,) = rename(plain).graphs["h.layer.mlp"]["x"].types
    assert str(before) == str(after) == "float[B N D]"


def test_the_root_keeps_its_letters() -> None:
    plain = program(encoder_decoder())
    assert rename(plain).main is plain.main


def test_a_model_of_one_sequence_stays_as_it_is() -> None:
    plain = program(decoder())
    found = rename(plain)
    assert [g.structure() for g in found.graphs.values()] == [
        g.structure() for g in plain.graphs.values()
    ]


@pytest.mark.parametrize("spec", [encoder_decoder(), decoder()], ids=["translator", "decoder"])
def test_each_graph_alone_stays_consistent(spec: dict[str, object]) -> None:
    found = rename(program(spec))
    inner = {name: graph for name, graph in found.graphs.items() if "layer." in name}
    shapes(found.with_graphs(inner))


def test_the_file_says_each_length_by_the_sequence_that_it_runs_on() -> None:
    text = live(encoder_decoder()).generated.text
    assert "memory_BSD" in text
    assert "src_BS" in text
