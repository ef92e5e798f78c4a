"""Packed documents: which attentions obey them, in a node, in a stack, across two inputs."""

import archspec
from archspec.components.attention import Attention
from archspec.model.spec import Spec
from archspec.model.stack import Stack

PACKED = {"tokens": {"segments": True}}


def model(src: object, ids: object) -> Spec:
    """An encoder of `src`, and a decoder of `ids` that looks at it from a parallel step."""
    self_attention = {"attention": {"heads": 2}}
    cross = {"attention": {"heads": 2, "source": "memory"}}
    return archspec.load(
        {
            "name": "pair",
            "inputs": {"src": src, "ids": ids},
            "graph": {
                "memory": {"embed": {"vocab": 9, "dim": 8}, "in": "src"},
                "tok": {"embed": {"vocab": 9, "dim": 8}, "in": "ids"},
                "alone": {"attention": {"heads": 2}, "in": "memory"},
                "h": {
                    "stack": {
                        "repeat": 2,
                        "layer": {"both": {"parallel": {"own": self_attention, "other": cross}}},
                    },
                    "in": "tok",
                },
            },
        }
    )


def obeying(spec: Spec) -> dict[str, bool]:
    alone, stack = spec.graph["alone"].component, spec.graph["h"].component
    assert isinstance(alone, Attention)
    assert isinstance(stack, Stack)
    found = {"alone": alone.segments}
    for name, mixer in stack.variants[0].sublayers["both"].mixers.items():
        assert isinstance(mixer.component, Attention)
        found[name] = mixer.component.segments
    return found


def test_an_attention_obeys_the_segments_of_its_own_input() -> None:
    assert obeying(model(PACKED, "tokens")) == {"alone": True, "own": False, "other": False}
    assert obeying(model("tokens", PACKED)) == {"alone": False, "own": True, "other": True}
    assert obeying(model("tokens", "tokens")) == {"alone": False, "own": False, "other": False}


def test_inputs_say_whether_they_are_packed() -> None:
    inputs = model(PACKED, "tokens").inputs
    assert (inputs["src"].segments, inputs["ids"].segments) == (True, False)
