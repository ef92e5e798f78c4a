"""Random small decoders, and edits of them with what each must be told as."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Written = dict[str, Any]
Told = tuple[str, str, str, str]
"""Kind, path before, path after, field."""


@st.composite
def decoders(draw: st.DrawFn) -> Written:
    """A decoder of random sizes, norms, gates and heads; some have a window now and then."""
    heads = draw(st.sampled_from([2, 4]))
    norm = draw(st.sampled_from([{"rms": 1e-5}, {"layer": 1e-6}]))
    attention = {
        "heads": heads,
        "kv_heads": draw(st.sampled_from([1, heads])),
        "head_dim": draw(st.sampled_from([4, 6])),
        "mask": "causal",
        "rope": {"theta": 10000},
    }
    stack = {
        "repeat": draw(st.sampled_from([2, 4, 6])),
        "layer": {
            "attn": {"attention": attention},
            "mlp": {"mlp": {"hidden": 20, "act": "silu", "gated": draw(st.booleans())}},
        },
    }
    if draw(st.booleans()):
        stack["cycle"] = [{}, {"attn.window": 8}]
    head = draw(st.sampled_from([{"tie": "tok"}, {"vocab": 31}]))
    return {
        "name": "tiny",
        "inputs": {"ids": {"tokens": {"max": 16}}},
        "defaults": {"norm": norm, "norm_at": "pre"},
        "graph": {
            "tok": {"embed": {"vocab": 31, "dim": 12}, "in": "ids"},
            "h": {"stack": stack},
            "final": {"norm": dict(norm)},
            "logits": {"unembed": head},
        },
    }


@dataclass(frozen=True)
class Edit:
    """A change of a written spec in place, which returns what must be told of it."""

    name: str
    make: Callable[[Written], set[Told]]

    def __call__(self, spec: Written) -> tuple[Written, set[Told]]:
        changed = copy.deepcopy(spec)
        return changed, self.make(changed)


def layers(spec: Written) -> int:
    return int(spec["graph"]["h"]["stack"]["repeat"])


def layer(spec: Written) -> Written:
    found: Written = spec["graph"]["h"]["stack"]["layer"]
    return found


def in_layers(spec: Written, name: str, field: str, kind: str = "changed") -> set[Told]:
    path = f"h.0..{layers(spec)}.{name}"
    return {(kind, path, path, field)}


def key_heads(spec: Written) -> set[Told]:
    attention = layer(spec)["attn"]["attention"]
    attention["kv_heads"] = attention["heads"] if attention["kv_heads"] == 1 else 1
    return in_layers(spec, "attn", "kv_heads")


def hidden(spec: Written) -> set[Told]:
    layer(spec)["mlp"]["mlp"]["hidden"] = 28
    return in_layers(spec, "mlp", "hidden")


def activation(spec: Written) -> set[Told]:
    layer(spec)["mlp"]["mlp"]["act"] = "gelu"
    return in_layers(spec, "mlp", "act")


def another_norm(spec: Written) -> set[Told]:
    norm = layer(spec)["mlp"]["norm"] = copy.deepcopy(spec["defaults"]["norm"])
    (word,) = norm
    norm["layer" if word == "rms" else "rms"] = norm.pop(word)
    return in_layers(spec, "mlp", "norm")


def last_norm(spec: Written) -> set[Told]:
    (word,) = spec["graph"]["final"]["norm"]
    spec["graph"]["final"]["norm"][word] = 1e-3
    return {("changed", "final", "final", "eps")}


def base_of_turns(spec: Written) -> set[Told]:
    layer(spec)["attn"]["attention"]["rope"] = {"theta": 500000}
    return in_layers(spec, "attn", "rope.theta")


def no_turns(spec: Written) -> set[Told]:
    del layer(spec)["attn"]["attention"]["rope"]
    return in_layers(spec, "attn", "rope")


def more_layers(spec: Written) -> set[Told]:
    spec["graph"]["h"]["stack"]["repeat"] += 2
    return {("changed", "h", "h", "repeat")}


def one_layer(spec: Written) -> set[Told]:
    spec["graph"]["h"]["stack"]["at"] = {"1": {"mlp.hidden": 44}}
    return {("changed", "h.1.mlp", "h.1.mlp", "hidden")}


def fresh_part(spec: Written) -> set[Told]:
    layer(spec)["extra"] = {"mlp": {"hidden": 8, "act": "relu"}}
    return {("added", "", f"h.0..{layers(spec)}.extra", "")}


def lost_part(spec: Written) -> set[Told]:
    del layer(spec)["mlp"]
    return {("removed", f"h.0..{layers(spec)}.mlp", "", "")}


def renamed_part(spec: Written) -> set[Told]:
    layer(spec)["ff"] = layer(spec).pop("mlp")
    many = f"h.0..{layers(spec)}"
    return {("renamed", f"{many}.mlp", f"{many}.ff", "")}


def swapped_parts(spec: Written) -> set[Told]:
    layer(spec)["attn"] = layer(spec).pop("attn")
    return in_layers(spec, "mlp", "", "moved")


def another_mixer(spec: Written) -> set[Told]:
    expert = layer(spec)["mlp"].pop("mlp")
    layer(spec)["mlp"]["moe"] = {"experts": 4, "top_k": 2, "expert": expert}
    return in_layers(spec, "mlp", "")


def fresh_node(spec: Written) -> set[Told]:
    graph = spec["graph"]
    graph["wide"] = {"linear": {"dim": 12}}
    graph["logits"] = graph.pop("logits")
    return {("added", "", "wide", "")}


def renamed_node(spec: Written) -> set[Told]:
    spec["graph"] = {{"h": "blocks"}.get(k, k): node for k, node in spec["graph"].items()}
    return {("renamed", "h", "blocks", "")}


def renamed_table(spec: Written) -> set[Told]:
    graph = {{"tok": "wte"}.get(k, k): node for k, node in spec["graph"].items()}
    if "tie" in graph["logits"]["unembed"]:
        graph["logits"]["unembed"]["tie"] = "wte"
    spec["graph"] = graph
    return {("renamed", "tok", "wte", "")}


def context(spec: Written) -> set[Told]:
    spec["inputs"]["ids"]["tokens"]["max"] = 32
    return {("changed", "inputs.ids", "inputs.ids", "max")}


def limit(spec: Written) -> set[Told]:
    spec["budget"] = {"parameters": 10**9}
    return {("added", "", "budget", "parameters")}


def other_source(spec: Written) -> set[Told]:
    spec["graph"]["logits"]["in"] = "h"
    return {("changed", "logits", "logits", "in")}


EDITS = [
    Edit(make.__name__, make)
    for make in (
        key_heads,
        hidden,
        activation,
        another_norm,
        last_norm,
        base_of_turns,
        no_turns,
        more_layers,
        one_layer,
        fresh_part,
        lost_part,
        renamed_part,
        swapped_parts,
        another_mixer,
        fresh_node,
        renamed_node,
        renamed_table,
        context,
        limit,
        other_source,
    )
]
