"""Specs in mappings, from small parts, and the way from a spec to its program."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import archspec
from archspec.source.diagnostic import Diagnostic
from compiler.ir.program import Program
from compiler.lower import lower

Tree: TypeAlias = dict[str, Any]
PRE: Tree = {"norm": {"rms": 1e-6}, "norm_at": "pre"}
ATTENTION: Tree = {"attention": {"heads": 4, "mask": "causal"}}
MLP: Tree = {"mlp": {"hidden": 24, "act": "relu"}}


def model(graph: Tree, inputs: Tree | None = None, **more: Any) -> Tree:
    """A spec called `m` over tokens `ids`."""
    given = {"ids": "tokens"} if inputs is None else inputs
    return {"name": "m", "inputs": given, "graph": graph, **more}


def decoder(layer: Tree | None = None, repeat: int = 3, **stack: Any) -> Tree:
    """A decoder of width 16 and 50 tokens; `stack` are further keys of its stack."""
    body = {"attn": ATTENTION, "mlp": MLP} if layer is None else layer
    graph: Tree = {
        "tok": {"embed": {"vocab": 50, "dim": 16}, "in": "ids"},
        "h": {"stack": {"repeat": repeat, "layer": body, **stack}},
        "final": {"norm": {"rms": 1e-6}},
        "logits": {"unembed": {"vocab": 50}},
    }
    return model(graph, defaults=PRE)


def over(width: int, graph: Tree, **more: Any) -> Tree:
    """A spec over features `x` of a width, which the first node reads."""
    first = next(iter(graph))
    graph = {first: {"in": "x", **graph[first]}, **{k: v for k, v in graph.items() if k != first}}
    return model(graph, {"x": {"features": ["T", width]}}, **more)


def program(spec: Mapping[str, Any]) -> Program:
    """The lowered program of a spec that can be lowered."""
    found = lower(archspec.load(spec))
    assert isinstance(found, Program), found
    return found


def rejected(spec: Mapping[str, Any]) -> Diagnostic:
    """The diagnostic of a spec that is understood and cannot be lowered."""
    found = lower(archspec.load(spec))
    assert not isinstance(found, Program)
    (diagnostic,) = found
    return diagnostic


def with_attention(**options: Any) -> Tree:
    """A decoder whose attention has other options."""
    changed = {"attention": {"heads": 4, "mask": "causal", **options}}
    return decoder({"attn": changed, "mlp": MLP})


def encoder_decoder(**decoding: Any) -> Tree:
    """An encoder over padded `src` and a decoder over `tgt` that reads it."""
    full = {"attention": {"heads": 2}}
    graph: Tree = {
        "a": {"embed": {"vocab": 9, "dim": 8}, "in": "src"},
        "memory": {"stack": {"repeat": 2, "layer": {"self": full, "mlp": MLP}}},
        "b": {"embed": {"share": "a"}, "in": "tgt"},
        "dec": {
            "stack": {
                "repeat": 2,
                "layer": {
                    "self": {"attention": {"heads": 2, "mask": "causal"}},
                    "cross": {"attention": {"heads": 2, "source": "memory"}},
                    "mlp": MLP,
                },
            }
        },
        "logits": {"unembed": {"tie": "a"}},
    }
    inputs = {"src": {"tokens": {"padded": True}}, "tgt": "tokens"}
    return model({**graph, **decoding}, inputs, defaults=PRE)
