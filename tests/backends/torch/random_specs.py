"""Specs by chance: small models of every family with options that rarely meet."""

from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import strategies as st

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]
Tree: TypeAlias = dict[str, Any]

NAMES = (
    "x", "y", "z", "h", "block", "layer", "pos", "kv", "seen", "memory", "angle", "table",
    "norm", "D", "M", "T", "B", "torch", "F", "rotate", "cached", "q", "k", "v", "up", "gate",
    "add", "o", "encode", "self_", "parts", "name", "module",
)  # fmt: skip
"""Words that generated code, its helpers and its loops use too."""

BETWEEN: tuple[dict[str, Any], ...] = (
    {"conv": {"kernel": 3}},
    {"conv": {"kernel": 2, "causal": True, "groups": "depthwise", "bias": True}},
    {"positions": {"learned": 40}},
    {"positions": {"sinusoid": {"max": 40}}},
    {"dropout": 0.3},
    {"mlp": {"hidden": 8, "act": "relu"}},
    {"attention": {"heads": 2, "mask": "causal"}},
    {"attention": {"heads": 2}},
)
"""What may stand between an embedding and a stack."""

ACTIVATIONS = ("gelu", "gelu_tanh", "quick_gelu", "relu", "relu2", "silu", "tanh", "sigmoid")
NORMS: tuple[Tree, ...] = (
    {"layer": 1e-5},
    {"rms": 1e-6},
    {"layer": {"eps": 1e-6, "bias": False}},
    {"layer": {"eps": 1e-5, "affine": False}},
    {"rms": {"eps": 1e-6, "affine": False}},
    {"rms": {"eps": 1e-5, "unit_offset": True}},
    {"rms": {"eps": 1e-5, "multiply": "after_cast"}},
    {"l2": {"eps": 1e-6}},
)
INITS: tuple[Any, ...] = (
    "xavier",
    "torch",
    {"normal": 0.02},
    {"normal": 0.5, "residual": "depth_scaled"},
)
PLACES = ("pre", "post", "none", ["pre", "out"], ["pre", "post"], ["out", "post"])


def some(draw: Draw, tree: Tree) -> Tree:
    """Some of the keys of a mapping."""
    kept = draw(st.sets(st.sampled_from(sorted(tree))))
    return {name: value for name, value in tree.items() if name in kept}


def attention(draw: Draw, mask: str, source: str | None = None) -> Tree:
    """An attention of width 12 or 24."""
    heads = draw(st.sampled_from([1, 2, 3]))
    options: Tree = {
        "kv_heads": draw(st.sampled_from([n for n in (1, 2, 3) if heads % n == 0])),
        "head_dim": draw(st.sampled_from([4, 6])),
        "value_dim": draw(st.sampled_from([2, 4])),
        "scale": draw(st.sampled_from([0.5, 0.125])),
        "bias": draw(st.sampled_from([True, "qkv", "qvo", "o"])),
    }
    if source is None:
        options["rope"] = draw(
            st.sampled_from(
                [
                    {"theta": 10000},
                    {"theta": 100, "pairs": "adjacent"},
                    {"dim": 2},
                    {"fraction": 0.5, "pairs": "adjacent"},
                ]
            )
        )
        options["position_bias"] = draw(
            st.sampled_from(
                [
                    {"alibi": {}},
                    {"alibi": {"max_bias": 4, "scaled": True}},
                    {"t5": {"buckets": 4, "max_distance": 5}},
                    {"t5": {"buckets": 6, "max_distance": 9, "per": "layer"}},
                ]
            )
        )
    found = some(draw, options)
    if source is not None:
        return {"attention": {"heads": heads, "source": source, **found}}
    if found.get("rope", {}).get("fraction"):
        found["head_dim"] = 4
    return {"attention": {"heads": heads, "mask": mask, **found}}


def mlp(draw: Draw) -> Tree:
    """A feed-forward network."""
    options: Tree = {"gated": True, "bias": True}
    act = draw(st.sampled_from(ACTIVATIONS))
    hidden = draw(st.sampled_from([8, 12, 20]))
    return {"mlp": {"hidden": hidden, "act": act, **some(draw, options)}}


def sublayer(draw: Draw, mixer: Tree) -> Tree:
    """A residual step with some of its options."""
    options: Tree = {
        "norm": draw(st.sampled_from(NORMS)),
        "branch_scale": 0.5,
        "skip_scale": 2.0,
        "layerscale": 0.1,
        "dropout": {"residual": 0.1, "attention": 0.2, "hidden": 0.1},
        "init": draw(st.sampled_from(INITS)),
    }
    norm_at = draw(st.sampled_from(PLACES))
    found = some(draw, options)
    if norm_at == "none":
        found.pop("norm", None)
    return {**mixer, "norm_at": norm_at, **found}


def layer(draw: Draw, mask: str, source: str | None) -> Tree:
    """One to three residual steps."""
    found: Tree = {}
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)):
        kind = draw(st.sampled_from(["attention", "mlp", "both", "cross"]))
        mixer = mlp(draw) if kind == "mlp" else attention(draw, mask)
        if kind == "cross" and source is not None:
            mixer = attention(draw, mask, source)
        if kind == "both":
            mixer = {"parallel": {"left": attention(draw, mask), "right": mlp(draw)}}
        found[name] = sublayer(draw, mixer)
    return found


def stack(draw: Draw, mask: str, source: str | None = None) -> Tree:
    """Layers, all alike or varied."""
    body = layer(draw, mask, source)
    repeat = draw(st.integers(1, 4))
    found: Tree = {"repeat": repeat, "layer": body}
    name = draw(st.sampled_from(sorted(body)))
    shared = {"norm": {"layer": 1e-5}, "norm_at": "pre"}
    match draw(st.sampled_from(["plain", "cycle", "at", "share"])):
        case "cycle":
            found["cycle"] = [{name: {**attention(draw, mask), **shared}}, {}][: max(1, repeat)]
        case "at":
            found["at"] = {draw(st.integers(0, repeat - 1)): {f"{name}.branch_scale": 0.25}}
        case "share":
            found["share"] = True
    return {"stack": found}


def embedding(draw: Draw, width: int, narrow: bool = False) -> Tree:
    """Tokens to vectors; a narrow table has a map behind it."""
    options: Tree = {
        "scale": draw(st.sampled_from([2.0, width**0.5])),
        "positions": draw(
            st.sampled_from(
                [
                    {"learned": 30},
                    {"learned": 30, "offset": 2},
                    {"sinusoid": {"max": 30}},
                    {"sinusoid": {"max": 30, "layout": "halves", "span": "d-2"}},
                ]
            )
        ),
        "types": 2,
        "norm": {"layer": 1e-5},
    }
    table = {"dim": 6, "project": width} if narrow else {"dim": width}
    return {"embed": {"vocab": 17, **table, **some(draw, options)}}


def unembed(draw: Draw, table: str, narrow: bool = False) -> Tree:
    """Vectors to logits, tied or not; before a narrow table stands a map."""
    options: Tree = {"bias": True, "in_scale": 0.5, "scale": 0.25}
    own: Tree = {"vocab": 17} if draw(st.booleans()) else {"tie": table}
    if narrow:
        own["project"] = 6
    return {"unembed": {**own, **some(draw, options)}}


def spec(inputs: Tree, graph: Tree, **more: Any) -> Tree:
    """The rest of a spec around its graph."""
    defaults = {"norm": {"rms": 1e-5}, "norm_at": "pre"}
    return {"name": "by chance", "inputs": inputs, "defaults": defaults, "graph": graph, **more}


def tokens(draw: Draw) -> Any:
    """A token input, with padding or without."""
    return draw(st.sampled_from(["tokens", {"tokens": {"padded": True}}]))


@st.composite
def decoders(draw: Draw) -> Tree:
    """A language model."""
    width = draw(st.sampled_from([12, 24]))
    token, tok, out = draw(st.permutations(NAMES))[:3]
    narrow = draw(st.booleans())
    graph: Tree = {
        tok: {**embedding(draw, width, narrow), "in": token},
        "stacked": stack(draw, "causal"),
        "final": {"norm": draw(st.sampled_from(NORMS))},
        out: unembed(draw, tok, narrow),
    }
    if draw(st.integers(0, 4)) == 0:
        between = draw(st.sampled_from(BETWEEN))
        graph = {tok: graph[tok], "between": between, **{k: graph[k] for k in list(graph)[1:]}}
    return spec({token: tokens(draw)}, graph)


@st.composite
def encoders(draw: Draw) -> Tree:
    """A sentence encoder with several results."""
    width = draw(st.sampled_from([12, 24]))
    token, tok = draw(st.permutations(NAMES))[:2]
    pool = draw(st.sampled_from(["first", "last", "mean", {"mean": {"skip": 1}}, {"index": -2},
                                 {"eos": {"ids": token, "token": 3}},
                                 {"eos": {"ids": token, "token": "max_id"}}]))  # fmt: skip
    graph: Tree = {
        tok: {**embedding(draw, width), "in": token},
        "stacked": stack(draw, "full"),
        "pooled": {"pool": pool},
        "joined": {"linear": {"dim": 5, "act": draw(st.sampled_from(ACTIVATIONS)), "bias": True}},
    }
    return spec({token: tokens(draw)}, graph, outputs=["joined", "stacked"])


@st.composite
def translators(draw: Draw) -> Tree:
    """An encoder and a decoder that reads it."""
    width = draw(st.sampled_from([12, 24]))
    source, target, src, tgt = draw(st.permutations(NAMES))[:4]
    narrow = draw(st.booleans())
    shared: Tree = {"scale": 3.0, **({"project": width} if narrow else {})}
    owner, other = draw(st.permutations([src, tgt]))
    tables = {
        owner: embedding(draw, width, narrow),
        other: {"embed": {"share": owner, **shared}},
    }
    graph: Tree = {
        src: {**tables[src], "in": source},
        "encoded": stack(draw, "full"),
        tgt: {**tables[tgt], "in": target},
        "decoded": stack(draw, "causal", "encoded"),
        "logits": unembed(draw, owner, narrow),
    }
    return spec({source: tokens(draw), target: tokens(draw)}, graph)


@st.composite
def images(draw: Draw) -> Tree:
    """A vision model."""
    patches = {
        "bias": True,
        "prefix": draw(st.sampled_from([["cls"], ["cls", {"registers": 2}], ["cls", "dist"]])),
        "positions": draw(st.sampled_from(["learned", "sinusoid"])),
        "norm": {"layer": 1e-5},
    }
    size, image = draw(st.sampled_from([(4, [8, 12]), (2, 4), ([2, 4], 8)]))
    head: Tree = {"size": size, "image": image, "dim": 12, "channels": 3}
    whole = image if isinstance(image, list) else [image, image]
    graph: Tree = {
        "cells": {"patches": {**head, **some(draw, patches)}, "in": "pixels"},
        "stacked": stack(draw, "full"),
        "pooled": {"pool": draw(st.sampled_from(["first", "mean", {"mean": {"skip": 1}}]))},
        "logits": {"linear": {"dim": 7, "bias": draw(st.booleans())}},
    }
    return spec({"pixels": {"image": [3, *whole]}}, graph)


@st.composite
def sets(draw: Draw) -> Tree:
    """Attention and feed-forward networks as nodes of the graph, over vectors or features."""
    padded = draw(st.booleans())
    kind, axis = draw(st.sampled_from([("vectors", "N"), ("features", "T")]))
    shape = {kind: {"shape": [axis, 12], "padded": padded}}
    one, two = draw(st.permutations(NAMES))[:2]
    graph: Tree = {
        "a": {**attention(draw, "full"), "in": one},
        "b": {**attention(draw, "full", one), "in": two},
        "c": {**mlp(draw), "in": one},
        "d": {"mlp": {"hidden": 9, "act": "relu"}, "in": "a"},
        "joined": {"concat": {}, "in": ["a", "c"]},
        "e": {"mean_of": {}, "in": ["c", one]},
    }
    chosen = draw(st.sets(st.sampled_from(["b", "d", "joined", "e"]), min_size=1))
    return spec({one: shape, two: shape}, graph, outputs=sorted(chosen))


MODELS = st.one_of(decoders(), encoders(), translators(), images(), sets())
