"""Configs as they lie on the hub, without weights: the sizes that their authors and others give."""

import json
from pathlib import Path
from typing import Any

import pytest

import archspec
from compiler.importers.imported import Imported, import_config
from compiler.verify.compiled import Compiled, compiled

BLOOM_560M = {
    "apply_residual_connection_post_layernorm": False, "attention_dropout": 0.0,
    "architectures": ["BloomForCausalLM"], "attention_softmax_in_fp32": True,
    "bias_dropout_fusion": True, "bos_token_id": 1, "eos_token_id": 2, "hidden_dropout": 0.0,
    "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "masked_softmax_fusion": True,
    "model_type": "bloom", "n_embed": 1024, "n_inner": None, "n_layer": 24,
    "num_attention_heads": 16, "offset_alibi": 100, "pad_token_id": 3, "pretraining_tp": 1,
    "skip_bias_add": True, "skip_bias_add_qkv": False, "slow_but_exact": False,
    "unk_token_id": 0, "use_cache": True, "vocab_size": 250880,
}  # fmt: skip
MPT_7B = {
    "architectures": ["MPTForCausalLM"],
    "attn_config": {
        "alibi": True, "alibi_bias_max": 8, "attn_impl": "torch", "attn_pdrop": 0,
        "attn_type": "multihead_attention", "attn_uses_sequence_id": False, "clip_qkv": None,
        "prefix_lm": False, "qk_ln": False, "softmax_scale": None,
    },
    "d_model": 4096, "emb_pdrop": 0, "embedding_fraction": 1.0, "expansion_ratio": 4,
    "init_config": {"emb_init_std": None, "fan_mode": "fan_in", "name": "kaiming_normal_"},
    "init_device": "cpu", "learned_pos_emb": True, "logit_scale": None, "max_seq_len": 2048,
    "model_type": "mpt", "n_heads": 32, "n_layers": 32, "no_bias": True,
    "norm_type": "low_precision_layernorm", "resid_pdrop": 0,
    "tokenizer_name": "EleutherAI/gpt-neox-20b", "torch_dtype": "bfloat16", "use_cache": False,
    "verbose": 0, "vocab_size": 50432,
}  # fmt: skip
FALCON_7B = {
    "alibi": False, "apply_residual_connection_post_layernorm": False,
    "architectures": ["FalconForCausalLM"], "attention_dropout": 0.0, "bias": False,
    "bos_token_id": 11, "eos_token_id": 11, "hidden_dropout": 0.0, "hidden_size": 4544,
    "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "falcon",
    "multi_query": True, "new_decoder_architecture": False, "num_attention_heads": 71,
    "num_hidden_layers": 32, "num_kv_heads": 71, "parallel_attn": True, "use_cache": True,
    "vocab_size": 65024,
}  # fmt: skip
T5_SMALL = {
    "architectures": ["T5ForConditionalGeneration"], "d_ff": 2048, "d_kv": 64, "d_model": 512,
    "decoder_start_token_id": 0, "dropout_rate": 0.1, "eos_token_id": 1,
    "initializer_factor": 1.0, "is_encoder_decoder": True, "layer_norm_epsilon": 1e-06,
    "model_type": "t5", "n_positions": 512, "num_heads": 8, "num_layers": 6, "output_past": True,
    "pad_token_id": 0, "relative_attention_num_buckets": 32, "vocab_size": 32128,
    "task_specific_params": {"summarization": {"prefix": "summarize: "}}, "use_cache": True,
}  # fmt: skip
FLAN = {**T5_SMALL, "d_ff": 1024, "feed_forward_proj": "gated-gelu", "num_decoder_layers": 8,
        "num_heads": 6, "num_layers": 8, "tie_word_embeddings": False}  # fmt: skip
DEBERTA_V3 = {
    "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
    "hidden_size": 768, "initializer_range": 0.02, "intermediate_size": 3072,
    "layer_norm_eps": 1e-07, "max_position_embeddings": 512, "max_relative_positions": -1,
    "model_type": "deberta-v2", "norm_rel_ebd": "layer_norm", "num_attention_heads": 12,
    "num_hidden_layers": 12, "pos_att_type": "p2c|c2p", "position_biased_input": False,
    "position_buckets": 256, "relative_attention": True, "share_att_key": True,
    "type_vocab_size": 0, "vocab_size": 128100,
}  # fmt: skip
PUBLISHED = {
    "bloom-560m": (BLOOM_560M, 559_214_592),
    "mpt-7b": (MPT_7B, 6_649_286_656),
    "falcon-7b": (FALCON_7B, 6_921_720_704),
    "t5-small": (T5_SMALL, 60_506_624),
    "deberta-v3-base": (DEBERTA_V3, 183_831_552),
    "t5-1.1-small": (FLAN, 76_961_152),
}
"""The config and the number of its parameters, as in model cards and the files of the hub."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_config_is_as_large_as_published(name: str, tmp_path: Path) -> None:
    config, count = PUBLISHED[name]
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = import_config(tmp_path)
    assert isinstance(found, Imported), found
    assert found.warnings == ()
    (tmp_path / "imported.yaml").write_text(found.text)
    made = compiled(archspec.load(tmp_path / "imported.yaml"))
    assert isinstance(made, Compiled), made
    assert made.parameters == count


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({**BLOOM_560M, "apply_residual_connection_post_layernorm": True}, "AR0723"),
    ({**MPT_7B, "no_bias": False}, "AR0723"),
    ({**MPT_7B, "attn_config": {"alibi": False}}, "AR0723"),
    ({**FALCON_7B, "new_decoder_architecture": True, "parallel_attn": False}, "AR0723"),
    ({**DEBERTA_V3, "pos_att_type": []}, "AR0723"),
    ({**DEBERTA_V3, "conv_kernel_size": 3}, "AR0723"),
    ({**DEBERTA_V3, "pos_att_type": "p2p"}, "AR0723"),
    ({**T5_SMALL, "is_encoder_decoder": False}, "AR0723"),
    ({**T5_SMALL, "feed_forward_proj": "swoosh"}, "AR0723"),
    ({**T5_SMALL, "vocab_size": "many"}, "AR0723"),
    ({**T5_SMALL, "attention_bias": True}, "AR0722"),
]


@pytest.mark.parametrize(("config", "code"), REFUSED, ids=str)
def test_what_no_spec_says_is_refused(config: dict[str, Any], code: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = import_config(tmp_path)
    assert not isinstance(found, Imported)
    assert [each.code for each in found] == [code]
