"""Inputs: their types and letters, and which of them a decoder with a cache grows."""

from typing import Any

import pytest

import archspec
from compiler.lower.inputs import grown_input
from tests.lower.specs import (
    ATTENTION,
    MLP,
    Tree,
    decoder,
    encoder_decoder,
    model,
    over,
    program,
    with_attention,
)

TABLE = {"embed": {"vocab": 50, "dim": 16}}
CAUSAL = {"stack": {"repeat": 2, "layer": {"attn": {**ATTENTION, "norm_at": "none"}}}}
FULL = {"stack": {"repeat": 2, "layer": {"attn": {"attention": {"heads": 4}, "norm_at": "none"}}}}


def chain(*nodes: tuple[str, Tree]) -> Tree:
    """An embedding of `ids` and nodes behind it."""
    return model({"tok": {**TABLE, "in": "ids"}, **dict(nodes)})


def cross(source: str) -> Tree:
    return {"attention": {"heads": 4, "source": source}}


GROWN: dict[str, tuple[Tree, str]] = {
    "a decoder": (decoder(), "ids"),
    "an encoder and a decoder": (encoder_decoder(), "tgt"),
    "causal attention as a node": (chain(("a", ATTENTION)), "ids"),
    "a causal stack and an mlp": (chain(("a", CAUSAL), ("b", MLP)), "ids"),
    "two causal stacks": (chain(("a", CAUSAL), ("b", CAUSAL)), "ids"),
    "an encoder": (chain(("a", FULL)), ""),
    "no attention": (chain(("a", MLP)), ""),
    "a pool behind it": (chain(("a", CAUSAL), ("b", {"pool": "last"})), ""),
    "a full stack beside it": (chain(("a", CAUSAL), ("b", FULL)), ""),
    "full and causal layers by turns": (
        decoder({"attn": ATTENTION}, repeat=4, cycle=[{"attn.mask": "full"}, {}]),
        "",
    ),
    "somebody else looks at it": (chain(("a", CAUSAL), ("b", cross("tok"))), ""),
    "a convolution before it": (chain(("c", {"conv": {"kernel": 3}}), ("a", CAUSAL)), ""),
    "features in place of tokens": (over(16, {"a": CAUSAL}), ""),
}


@pytest.mark.parametrize("name", GROWN)
def test_a_cache_is_there_exactly_where_it_keeps_enough(name: str) -> None:
    spec, grown = GROWN[name]
    assert grown_input(archspec.load(spec)) == grown
    found = program(spec)
    assert found.grown == grown
    names = list(found.main.inputs)
    assert ("pos" in names) == bool(grown)


def test_two_causal_paths_have_no_cache() -> None:
    graph = {
        "a": {**TABLE, "in": "one"},
        "c": CAUSAL,
        "b": {**TABLE, "in": "two"},
        "d": CAUSAL,
    }
    spec = model(graph, {"one": "tokens", "two": "tokens"}) | {"outputs": ["c", "d"]}
    assert program(spec).grown == ""


def types(spec: Tree) -> dict[str, str]:
    found = program(spec)
    return {name: str(found.main.type(value)) for name, value in found.main.inputs.items()}


def test_types_of_a_decoder() -> None:
    assert types(with_attention(kv_heads=2)) == {
        "ids": "int[B T]",
        "kv": "float[L 2 B G C K]?",
        "pos": "int[]",
    }


def test_types_of_an_encoder_and_a_decoder() -> None:
    assert types(encoder_decoder()) == {
        "tgt": "int[B T]",
        "src": "int[B S]",
        "src_mask": "bool[B S]",
        "kv": "float[L 2 B H C K]?",
        "pos": "int[]",
    }


def test_the_mask_of_what_grows_covers_all_that_was_seen() -> None:
    spec = decoder() | {"inputs": {"ids": {"tokens": {"padded": True}}}}
    assert types(spec)["ids_mask"] == "bool[B S]"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"image": [3, 8, 8]}, "float[B 3 X X]"),
        ({"image": [1, 8, 12]}, "float[B 1 X W]"),
        ({"vectors": ["N", 16]}, "float[B N D]"),
        ({"features": ["T", 16]}, "float[B T D]"),
    ],
)
def test_types_of_other_inputs(given: Any, said: str) -> None:
    graph: Tree = {"y": {"norm": "l2", "in": "x"}}
    if "image" in given:
        size = given["image"][1:]
        form = {"size": 4, "image": size, "channels": given["image"][0], "dim": 8}
        graph = {"y": {"patches": form, "in": "x"}}
    assert types(model(graph, {"x": given}))["x"] == said


def test_every_layer_variant_has_a_cache_of_its_own_shape() -> None:
    spec = decoder({"attn": ATTENTION}, repeat=4, cycle=[{"attn.kv_heads": 2}, {}])
    assert {n: t for n, t in types(spec).items() if n.startswith("kv")} == {
        "kv": "float[L 2 B G C K]?",
        "kv_2": "float[L 2 B H C K]?",
    }
