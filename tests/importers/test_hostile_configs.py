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
