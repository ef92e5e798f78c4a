"""Names in generated files: short where they can be, and never one for two things."""

import ast
import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.backends.torch.names import TAKEN, camel, class_names
from compiler.ir.graph import Graph
from compiler.ir.letters import Letters
from compiler.ir.program import Program
from tests.backends.torch.live import live
from tests.lower.specs import ATTENTION, MLP, decoder, encoder_decoder


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("vit-b16_mean", "VitB16Mean"),
        ("gpt2", "Gpt2"),
        ("3body", "M3body"),
        ("CLIP", "CLIP"),
        ("", "Model"),
        ("«»", "Model"),
        ('x"; import os', "XImportOs"),
    ],
)
def test_words_become_a_class_name(words: str, name: str) -> None:
    assert camel(words) == name


@given(st.text(max_size=30))
def test_any_words_become_an_identifier(words: str) -> None:
    name = camel(words)
    assert name.isascii()
    assert name.isidentifier()
    assert name[0].isupper()


def program(name: str, *graphs: tuple[str, str]) -> Program:
    made = {path: Graph(path, title) for path, title in graphs}
    return Program(name, {**made, "main": Graph("main", name)}, "main", Letters())


def named(name: str, *graphs: tuple[str, str]) -> list[str]:
    return list(class_names(program(name, *graphs)).values())


def test_one_graph_of_a_title_is_called_by_the_title() -> None:
    found = named("gpt2", ("h.layer.attn", "attention"), ("h.layer.mlp", "mlp"))
    assert found == ["Attention", "Mlp", "Gpt2"]


def test_several_of_a_title_are_told_apart_by_their_sub_layer() -> None:
    found = named("m", ("d.layer.self", "attention"), ("d.layer.cross", "attention"))
    assert found == ["SelfAttention", "CrossAttention", "MModel"]


def test_several_of_a_sub_layer_are_told_apart_by_their_stack() -> None:
    found = named("clip", ("text.layer.attn", "attention"), ("image.layer.attn", "attention"))
    assert found == ["TextAttnAttention", "ImageAttnAttention", "Clip"]


def test_a_graph_without_a_title_is_called_by_its_sub_layer() -> None:
    assert named("m", ("h.layer.both", "")) == ["Both", "MModel"]


@pytest.mark.parametrize("name", ["F", "D", "none", "True", "tensor", "eps", "EPS", "STD", "nn"])
def test_imports_constants_and_python_keep_their_names(name: str) -> None:
    (found,) = named(name)
    assert found not in TAKEN
    assert not keyword.iskeyword(found)


def test_the_model_has_a_name_of_its_own() -> None:
    assert named("attention", ("h.layer.attn", "attention")) == ["Attention", "AttentionModel"]
    found = named("a", ("x", "A"), ("y", "AModel"))
    assert len(set(found)) == 3


titles = st.sampled_from(["mlp", "Mlp", "attention", "", "block", "F", "D", "Mlp1", "h"])
paths = st.lists(st.sampled_from(["h", "layer", "layer_2", "mlp", "Mlp", "x"]), min_size=1)


@given(st.dictionaries(paths.map(".".join), titles, max_size=8), st.sampled_from(["mlp", "H", "h"]))
def test_no_two_graphs_share_a_name(graphs: dict[str, str], name: str) -> None:
    found = named(name, *graphs.items())
    assert len(set(found)) == len(graphs) + 1
    assert not set(found) & TAKEN


def classes(text: str) -> list[str]:
    return [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]


def test_classes_stand_from_small_to_large() -> None:
    found = live(decoder()).generated
    assert classes(found.text) == ["Attention", "Mlp", "Block", "MModel"]
    assert found.name == "MModel"


def test_towers_that_are_alike_share_their_classes() -> None:
    found = classes(live(encoder_decoder()).generated.text)
    assert found.count("Mlp") == 1
    assert len(set(found)) == len(found)


def test_a_sub_layer_called_like_a_helper_class_does_not_take_its_place() -> None:
    scaled = {**MLP, "layerscale": 0.1}
    both = {"parallel": {"a": ATTENTION, "b": MLP}, "layerscale": 0.1}
    found = live(decoder({"LayerScale": both, "mlp": scaled}))
    names = classes(found.generated.text)
    assert len(set(names)) == len(names)
    assert found.apart(found.inputs()) < 1e-5


def test_names_of_values_do_not_run_out() -> None:
    branches = {f"m{i}": {"mlp": {"hidden": 2, "act": "relu"}} for i in range(120)}
    found = live(decoder({"m": {"parallel": branches}}, repeat=1))
    assert found.apart(found.inputs()) <= 1e-6
