"""Configs of models with biased scores that no spec can say."""

import json
from pathlib import Path
from typing import Any

import pytest

from compiler.importers.imported import Imported, import_config

PUBLISHED = Path(__file__).parent / "published"
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("bloom-560m", {"apply_residual_connection_post_layernorm": True}, "AR0723"),
    ("mpt-7b", {"no_bias": False}, "AR0723"),
    ("mpt-7b", {"attn_config": {"alibi": False}}, "AR0723"),
    ("mpt-7b", {"attn_config": {"qk_ln": True}}, "AR0723"),
    ("falcon-7b", {"new_decoder_architecture": True, "parallel_attn": False}, "AR0723"),
    ("deberta-v3-base", {"pos_att_type": []}, "AR0723"),
    ("deberta-v3-base", {"pos_att_type": "p2p"}, "AR0723"),
    ("deberta-v3-base", {"conv_kernel_size": 3}, "AR0723"),
    ("deberta-v3-base", {"embedding_size": 128}, "AR0723"),
    ("t5-small", {"is_encoder_decoder": False}, "AR0723"),
    ("t5-small", {"is_decoder": True}, "AR0723"),
    ("t5-small", {"feed_forward_proj": "swoosh"}, "AR0723"),
    ("t5-small", {"vocab_size": "many"}, "AR0723"),
    ("t5-small", {"attention_bias": True}, "AR0722"),
]


@pytest.mark.parametrize(("name", "changes", "code"), REFUSED, ids=str)
def test_what_no_spec_says_is_refused(
    name: str, changes: dict[str, Any], code: str, tmp_path: Path
) -> None:
    said = json.loads((PUBLISHED / f"{name}.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**said, **changes}))
    found = import_config(tmp_path)
    assert not isinstance(found, Imported)
    assert [each.code for each in found] == [code]
