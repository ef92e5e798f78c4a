"""Configs that nobody meant: any key with any value is an answer, never a crash."""

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.importers.families import known_types
from compiler.importers.imported import Imported, import_config

WRONG: list[Any] = [
    "x",
    "",
    0,
    -3,
    1.5,
    10**30,
    float("inf"),
    True,
    None,
    [],
    ["x"],
    [[[3]]],
    {},
    {"rope_type": ["x"]},
    {"full_attention": 3},
]
SHARES = 4
"""Each key gets one of so many shares of the values, the next key the next."""


@pytest.mark.parametrize("kind", known_types())
def test_a_wrong_value_is_said_or_harmless(kind: str, tmp_path: Path) -> None:
    import transformers

    whole = json.loads(transformers.AutoConfig.for_model(kind).to_json_string(use_diff=False))
    whole["architectures"] = ["GPTForCausalLM"]
    for n, key in enumerate([*whole, "rope_scaling", "attention_layers", "layer_types"]):
        for value in WRONG[n % SHARES :: SHARES]:
            (tmp_path / "config.json").write_text(json.dumps({**whole, key: value}))
            found = import_config(tmp_path)
            if not isinstance(found, Imported):
                assert {each.code[:5] for each in found} == {"AR072"}


COUNTS = ("num_hidden_layers", "encoder_layers", "decoder_layers")
COUNTED = [
    (kind, word)
    for kind, each in known_types().items()
    for word in COUNTS
    if word in each.type.defaults
]
WINDOWED = {"use_sliding_window": True, "sliding_window": 4}


@pytest.mark.parametrize(("kind", "word"), COUNTED)
def test_more_layers_than_a_stack_may_have_are_said(kind: str, word: str, tmp_path: Path) -> None:
    assert "AR0723" in said_of({"model_type": kind, word: 2**39}, tmp_path)


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "t5", "num_decoder_layers": 2**39},
        {"model_type": "gemma3_text", "sliding_window_pattern": 0},
        {"model_type": "gemma3_text", "sliding_window_pattern": "x"},
        {"model_type": "qwen3", **WINDOWED, "max_window_layers": "x"},
        {"model_type": "qwen2_moe", **WINDOWED, "max_window_layers": ["x"]},
        {"model_type": "vit", "architectures": ["ViTForImageClassification"], "num_labels": "x"},
        {"model_type": "modernbert", "layer_types": ["full_attention"]},
        {"model_type": "modernbert", "layer_types": ["x"] * 22},
        {"model_type": "llama", "partial_rotary_factor": 0.5},
        {"model_type": "mistral", "rope_parameters": {"partial_rotary_factor": 0.25}},
        {"model_type": "t5", "feed_forward_proj": "gated-gelu", "dense_act_fn": "relu"},
        {"model_type": "mt5", "is_gated_act": False},
        {"model_type": "deepseek_v3", "head_dim": 2},
        {"model_type": "deepseek_v2", "norm_topk_prob": True},
    ],
    ids=str,
)
def test_a_value_that_would_lead_astray_is_said(config: dict[str, Any], tmp_path: Path) -> None:
    assert "AR0723" in said_of(config, tmp_path)


def said_of(config: dict[str, Any], folder: Path) -> list[str]:
    """The codes of what is wrong with a config."""
    (folder / "config.json").write_text(json.dumps(config))
    found = import_config(folder)
    return [] if isinstance(found, Imported) else [each.code for each in found]
