from typing import Any

import pytest

from archspec.load import load
from compiler.importers.names import Names, names_of
from compiler.ir.program import Program
from compiler.lower import lower


def test_a_decoder() -> None:
    spec = load(
        {
            "name": "small",
            "inputs": {"ids": "tokens"},
            "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
            "graph": {
                "words": {"embed": {"vocab": 7, "dim": 8}, "in": "ids"},
                "blocks": {
                    "stack": {
                        "repeat": 2,
                        "layer": {
                            "mix": {"attention": {"heads": 2, "mask": "causal"}},
                            "feed": {"mlp": {"hidden": 16, "act": "silu"}},
                        },
                    }
                },
                "last": {"norm": {"rms": 1e-5}},
                "out": {"unembed": {"vocab": 7}},
            },
        }
    )
    assert names_of(spec) == Names(
        embed="words",
        table="words.weight",
        positions="words.positions.weight",
        stack="blocks",
        layers=2,
        attention="mix",
        mlp="feed",
        final="last",
        head="out",
    )


@pytest.mark.parametrize(
    "beside",
    [
        {"scale": 2},
        {"positions": {"learned": 9}},
        {"types": 2},
        {"norm": {"rms": 1e-6}},
        {"project": 4},
    ],
)
def test_a_table_with_something_beside_it_has_a_name_of_its_own(beside: dict[str, Any]) -> None:
    spec = load(one_table(beside))
    assert names_of(spec).table == "tok.tokens.weight"
    program = lower(spec)
    assert isinstance(program, Program)
    assert names_of(spec).table in program.parameters()


def test_dropout_behind_a_table_gives_it_a_name() -> None:
    spec = load({**one_table({}), "defaults": {"dropout": {"embed": 0.1}}})
    program = lower(spec)
    assert isinstance(program, Program)
    assert names_of(spec).table in program.parameters()


def one_table(beside: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": "small",
        "inputs": {"ids": "tokens"},
        "graph": {"tok": {"embed": {"vocab": 7, "dim": 8, **beside}, "in": "ids"}},
    }


def test_an_image_classifier_with_parallel_branches() -> None:
    spec = load(
        {
            "name": "small",
            "inputs": {"pixels": {"image": [3, 8, 8]}},
            "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre"},
            "graph": {
                "x": {"patches": {"size": 4, "image": 8, "dim": 8}, "in": "pixels"},
                "h": {
                    "stack": {
                        "repeat": 1,
                        "layer": {
                            "block": {
                                "parallel": {
                                    "attn": {"attention": {"heads": 2, "mask": "full"}},
                                    "mlp": {"mlp": {"hidden": 16, "act": "gelu"}},
                                }
                            }
                        },
                    }
                },
                "mean": {"pool": "mean"},
                "logits": {"linear": {"dim": 5}},
            },
        }
    )
    assert names_of(spec) == Names(
        patches="x",
        stack="h",
        layers=1,
        attention="block.attn",
        mlp="block.mlp",
        pooler="logits",
        classifier="logits",
    )
    assert names_of(spec).block == "block"


@pytest.mark.parametrize(
    ("at", "called"), [("pre", "norm"), ("post", "post_norm"), (["out"], "out_norm")]
)
def test_a_norm_is_called_where_it_stands(at: Any, called: str) -> None:
    said = one_table({})
    said["defaults"] = {"norm": {"rms": 1e-6}, "norm_at": at}
    said["graph"]["h"] = {
        "stack": {"repeat": 1, "layer": {"mlp": {"mlp": {"hidden": 4, "act": "relu"}}}}
    }
    assert names_of(load(said)).norm == called


def test_positions_may_stand_in_a_node_of_their_own() -> None:
    said = one_table({})
    said["graph"]["places"] = {"positions": {"learned": 9}}
    spec = load(said)
    program = lower(spec)
    assert isinstance(program, Program)
    assert names_of(spec).positions in program.parameters()


def test_linear_nodes_before_and_behind_the_layers() -> None:
    layer = {"mix": {"attention": {"heads": 2}}}
    graph: dict[str, Any] = {
        "words": {"embed": {"vocab": 7, "dim": 4}, "in": "ids"},
        "wide": {"linear": {"dim": 8}},
        "blocks": {"stack": {"repeat": 2, "layer": layer}},
        "last": {"norm": {"layer": 1e-5}},
        "one": {"pool": "first"},
        "vector": {"linear": {"dim": 8, "act": "tanh"}},
        "narrow": {"linear": {"dim": 4}, "in": "last"},
        "narrow_norm": {"norm": {"layer": 1e-5}},
        "out": {"unembed": {"tie": "words"}},
    }
    defaults = {"norm": {"layer": 1e-5}, "norm_at": "post"}
    spec = {"name": "x", "inputs": {"ids": "tokens"}, "defaults": defaults, "graph": graph}
    found = names_of(load({**spec, "outputs": ["out", "vector"]}))
    assert (found.project, found.final, found.pooler) == ("wide", "last", "vector")
    assert (found.transform, found.transform_norm, found.head) == ("narrow", "narrow_norm", "out")
