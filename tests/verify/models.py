"""Small specs of every kind that the proofs are tried on, as mappings."""

from typing import Any

import archspec
from compiler.verify.compiled import Compiled, compiled

Mapping = dict[str, Any]


def made(source: Mapping) -> Compiled:
    """A spec from a mapping, lowered."""
    found = compiled(archspec.load(source))
    assert isinstance(found, Compiled), found
    return found


def decoder(**embed: Any) -> Mapping:
    """Two pre-norm layers with causal attention over tokens."""
    return {
        "name": "small decoder",
        "inputs": {"ids": "tokens"},
        "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
        "graph": {
            "tok": {"embed": {"vocab": 31, "dim": 16, **embed}, "in": "ids"},
            "h": {
                "stack": {
                    "repeat": 2,
                    "layer": {
                        "attn": {
                            "attention": {
                                "heads": 4,
                                "kv_heads": 2,
                                "mask": "causal",
                                "rope": {"theta": 10000},
                            }
                        },
                        "mlp": {"mlp": {"hidden": 24, "act": "silu", "gated": True}},
                    },
                }
            },
            "logits": {"unembed": {"tie": "tok"}},
        },
    }


def encoder(**embed: Any) -> Mapping:
    """A post-norm layer over padded tokens, whose results are the states and their mean."""
    return {
        "name": "small encoder",
        "inputs": {"ids": {"tokens": {"padded": True}}},
        "defaults": {"norm": {"layer": 1e-5}, "norm_at": "post", "bias": True},
        "graph": {
            "tok": {"embed": {"vocab": 31, "dim": 16, "types": 3, **embed}, "in": "ids"},
            "h": {
                "stack": {
                    "repeat": 2,
                    "layer": {
                        "attn": {"attention": {"heads": 4}},
                        "mlp": {"mlp": {"hidden": 24, "act": "gelu"}},
                    },
                }
            },
            "mean": {"pool": "mean"},
        },
        "outputs": ["h", "mean"],
    }


def allowed() -> Mapping:
    """A decoder over an encoded source, of which a given mask of all pairs says what is seen."""
    heads = {"heads": 2, "head_dim": 8}
    cross = {"attention": {**heads, "source": "enc", "mask": "seen"}}
    layer = {"attn": {"attention": {**heads, "mask": "causal"}}, "cross": cross}
    return {
        "name": "small pairs",
        "inputs": {"src": "tokens", "ids": "tokens", "seen": {"mask": ["T", "S"]}},
        "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"},
        "graph": {
            "enc": {"embed": {"vocab": 31, "dim": 16}, "in": "src"},
            "tok": {"embed": {"vocab": 31, "dim": 16}, "in": "ids"},
            "h": {"stack": {"repeat": 2, "layer": layer}},
            "logits": {"unembed": {"tie": "tok"}},
        },
    }


def points(pool: Any = "mean") -> Mapping:
    """Attention over an unordered set of vectors."""
    return {
        "name": "small set",
        "inputs": {"points": {"vectors": ["N", 16]}},
        "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True},
        "graph": {
            "h": {
                "stack": {
                    "repeat": 2,
                    "layer": {
                        "attn": {"attention": {"heads": 4}},
                        "mlp": {"mlp": {"hidden": 24, "act": "gelu"}},
                    },
                },
                "in": "points",
            },
            "one": {"pool": pool},
        },
        "outputs": ["h", "one"],
    }
