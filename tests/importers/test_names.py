from archspec.load import load
from compiler.importers.names import Names, names_of


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
    assert names_of(spec.graph) == Names(
        embed="words", stack="blocks", attention="mix", mlp="feed", final="last", head="out"
    )


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
    assert names_of(spec.graph) == Names(
        patches="x", stack="h", attention="block.attn", mlp="block.mlp", pooler="logits"
    )
