"""Initialisation: a generated model draws every parameter by the rule that its program has."""

import math
from collections.abc import Mapping
from typing import Any

import pytest
import torch

from compiler.ir.init import Init
from compiler.passes.fuse import fusions
from tests.backends.torch.live import Live, live
from tests.lower.specs import ATTENTION, MLP, PRE, decoder, model

WIDE: dict[str, Any] = {"mlp": {"hidden": 96, "act": "relu", "gated": True, "bias": True}}
LAYER = {"attn": {"attention": {"heads": 4, "mask": "causal", "bias": True}}, "mlp": WIDE}
GROUPED = {"attn": {"attention": {"heads": 4, "kv_heads": 2, "mask": "causal"}}, "mlp": MLP}
SCALED = {"normal": 0.02, "residual": "depth_scaled"}


def spec(init: Any, layer: Mapping[str, Any] = LAYER) -> dict[str, Any]:
    return decoder(dict(layer)) | {"defaults": {**PRE, "init": init}}


def vision(init: Any) -> dict[str, Any]:
    graph = {
        "cells": {
            "patches": {"size": 4, "image": 8, "dim": 24, "prefix": ["cls"], "bias": True,
                        "positions": "learned"},
            "in": "pixels",
        },
        "h": {"stack": {"repeat": 2, "layer": {"attn": {"attention": {"heads": 4}}}}},
        "logits": {"linear": {"dim": 40}},
    }  # fmt: skip
    return model(graph, {"pixels": {"image": [3, 8, 8]}}, defaults={**PRE, "init": init})


def stem(init: Any) -> dict[str, Any]:
    """Filters that shorten a sequence beside one that does not and a matrix."""
    convs = [{"kernel": 3, "stride": 1, "pad": 1}, {"kernel": 3, "stride": 2, "pad": 1}]
    graph = {
        "frames": {
            "conv_stem": {"convs": convs, "in_dim": 10, "dim": 24, "act": "gelu", "bias": True},
            "in": "sound",
        },
        "near": {"conv": {"kernel": 3}},
        "logits": {"linear": {"dim": 40}},
    }
    return model(graph, {"sound": {"features": ["T", 10]}}, defaults={"init": init})


def own_rule() -> dict[str, Any]:
    """Two sub-layers that are drawn by other rules than the rest."""
    own = {"attn": {**ATTENTION, "init": {"normal": 0.3}}, "mlp": {**WIDE, "init": "xavier"}}
    return spec({"normal": 0.02}, own)


SPECS = {
    "torch": spec("torch"),
    "normal": spec({"normal": 0.02}),
    "depth": spec(SCALED),
    "xavier": spec("xavier"),
    "grouped normal": spec(SCALED, GROUPED),
    "grouped xavier": spec("xavier", GROUPED),
    "own": own_rule(),
    "vision torch": vision("torch"),
    "vision normal": vision({"normal": 0.5}),
    "vision xavier": vision("xavier"),
    "stem normal": stem({"normal": 0.5}),
    "stem xavier": stem("xavier"),
}


def drawn(found: Live, times: int = 12) -> dict[str, torch.Tensor]:
    """The parameters of freshly made models by canonical names, a draw a row."""
    torch.manual_seed(0)
    kind = type(found.model)
    states = [dict(kind().state_dict()) for _ in range(times)]
    many = {name: torch.stack([state[name] for state in states]) for name in states[0]}
    for whole, parts in fusions(found.fused).items():
        for local in ("weight", "bias"):
            if f"{whole}.{local}" in many:
                joined = many.pop(f"{whole}.{local}")
                rows = [found.weights[f"{part}.{local}"].shape[0] for part in parts]
                pieces = torch.split(joined, rows, dim=1)
                many |= {f"{p}.{local}": one for p, one in zip(parts, pieces, strict=True)}
    return many


def follows(rule: Init, numbers: torch.Tensor) -> bool:
    """Whether many numbers have the spread and the bound of a rule."""
    if rule.kind in ("zeros", "ones"):
        return bool((numbers == (rule.kind == "ones")).all())
    spread = rule.a if rule.kind == "normal" else rule.bound / math.sqrt(3)
    close = abs(numbers.std().item() / spread - 1) < 5 / math.sqrt(numbers.numel()) + 0.01
    within = not rule.bound or numbers.abs().max().item() <= rule.bound * (1 + 1e-6)
    return close and within


@pytest.mark.parametrize("name", SPECS)
def test_every_parameter_is_drawn_by_its_rule(name: str) -> None:
    found = live(SPECS[name])
    rules = {path: p.init for path, p in found.plain.parameters().items()}
    numbers = drawn(found)
    assert numbers.keys() == rules.keys()
    strays = [path for path, rule in rules.items() if not follows(rule, numbers[path])]
    assert strays == []


def test_torchs_own_rules_need_no_words() -> None:
    assert "init" not in live(SPECS["torch"]).generated.text.replace("__init__", "")


def test_the_paper_s_scaling_reads_as_the_paper_says_it() -> None:
    text = live(SPECS["depth"]).generated.text
    assert "STD / (2 * L) ** 0.5 if name.endswith((" in text


def test_branches_end_narrower_by_the_root_of_their_number() -> None:
    rules = {path: p.init for path, p in live(SPECS["depth"]).plain.parameters().items()}
    assert rules["h.0.attn.q.weight"] == Init("normal", 0.02)
    assert rules["h.2.mlp.down.weight"] == Init("normal", 0.02 / 6**0.5)
    assert rules["h.1.attn.o.weight"] == rules["h.2.mlp.down.weight"]


def test_a_sub_layer_has_a_rule_of_its_own() -> None:
    rules = {path: p.init for path, p in live(SPECS["own"]).plain.parameters().items()}
    assert rules["h.0.attn.q.weight"] == Init("normal", 0.3)
    assert rules["h.0.mlp.up.weight"] == Init("xavier_uniform", 16, 96)
    assert rules["tok.weight"] == Init("normal", 0.02)
