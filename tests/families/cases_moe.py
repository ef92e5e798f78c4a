"""Text decoders with mixtures of experts."""

from typing import Any

from tests.families.case import Case, padded_behind

SMALL = {
    "vocab_size": 97,
    "hidden_size": 32,
    "intermediate_size": 24,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "num_experts_per_tok": 2,
}
MIXTRAL = {**SMALL, "num_local_experts": 4}
QWEN = {**SMALL, "num_experts": 6, "moe_intermediate_size": 16, "intermediate_size": 40}
QWEN2 = {**QWEN, "shared_expert_intermediate_size": 24}
GPT_OSS = {**MIXTRAL, "head_dim": 8, "num_hidden_layers": 4, "sliding_window": 5}
LLAMA4 = {
    **SMALL,
    "num_hidden_layers": 4,
    "head_dim": 8,
    "num_local_experts": 4,
    "num_experts_per_tok": 1,
    "intermediate_size_mlp": 40,
    "attention_chunk_size": 6,
    "floor_scale": 4,
}


def older(config: dict[str, Any]) -> None:
    """As transformers 4 wrote a config: two keys for rotary positions, no list of layer types."""
    config.pop("layer_types", None)
    parameters = config.pop("rope_parameters")
    config["rope_theta"] = parameters.pop("rope_theta")
    config["rope_scaling"] = parameters if parameters["rope_type"] != "default" else None


def first_gpt_oss(config: dict[str, Any]) -> None:
    """As published: with words of other programs, without the slope."""
    older(config)
    del config["swiglu_alpha"]
    config |= {"experts_per_token": 2, "initial_context_length": 4096}


def first_llama4(config: dict[str, Any]) -> None:
    """As published: lists are left to the intervals, and a switch is a number."""
    older(config)
    del config["moe_layers"]
    config |= {"no_rope_layers": [], "attn_temperature_tuning": 4, "for_llm_compressor": False}


CASES = [
    Case("mixtral", "MixtralConfig", "MixtralForCausalLM", MIXTRAL),
    Case(
        "mixtral-window",
        "MixtralConfig",
        "MixtralForCausalLM",
        {**MIXTRAL, "sliding_window": 5, "output_router_logits": True, "head_dim": 16},
        edit=older,
    ),
    Case("qwen2_moe", "Qwen2MoeConfig", "Qwen2MoeForCausalLM", QWEN2),
    Case(
        "qwen2_moe-sparse",
        "Qwen2MoeConfig",
        "Qwen2MoeForCausalLM",
        {
            **QWEN2,
            "num_hidden_layers": 6,
            "decoder_sparse_step": 2,
            "norm_topk_prob": True,
            "qkv_bias": False,
            "use_sliding_window": True,
            "sliding_window": 4,
            "max_window_layers": 3,
        },
        edit=older,
    ),
    Case("qwen3_moe", "Qwen3MoeConfig", "Qwen3MoeForCausalLM", {**QWEN, "head_dim": 16}),
    Case(
        "qwen3_moe-dense-first",
        "Qwen3MoeConfig",
        "Qwen3MoeForCausalLM",
        {
            **QWEN,
            "head_dim": 8,
            "mlp_only_layers": [0, 1],
            "norm_topk_prob": True,
            "attention_bias": True,
        },
    ),
    Case("olmoe", "OlmoeConfig", "OlmoeForCausalLM", {**SMALL, "num_experts": 6}),
    Case(
        "olmoe-clipped",
        "OlmoeConfig",
        "OlmoeForCausalLM",
        {**SMALL, "num_experts": 6, "clip_qkv": 0.5, "norm_topk_prob": True},
    ),
    Case("gpt_oss", "GptOssConfig", "GptOssForCausalLM", GPT_OSS),
    Case("gpt_oss-first", "GptOssConfig", "GptOssForCausalLM", GPT_OSS, edit=first_gpt_oss),
    Case(
        "gpt_oss-plain",
        "GptOssConfig",
        "GptOssForCausalLM",
        {
            **GPT_OSS,
            "swiglu_limit": 0.5,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
        },
    ),
    Case("llama4", "Llama4TextConfig", "Llama4ForCausalLM", LLAMA4, given=padded_behind),
    Case(
        "llama4-first",
        "Llama4TextConfig",
        "Llama4ForCausalLM",
        {
            **LLAMA4,
            "rope_parameters": {
                "rope_type": "llama3",
                "rope_theta": 500000.0,
                "factor": 16.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 1.0,
                "original_max_position_embeddings": 32,
            },
        },
        given=padded_behind,
        edit=first_llama4,
    ),
    Case(
        "llama4-interleaved",
        "Llama4TextConfig",
        "Llama4ForCausalLM",
        {
            **LLAMA4,
            "interleave_moe_layer_step": 2,
            "use_qk_norm": False,
            "attn_temperature_tuning": False,
            "num_experts_per_tok": 2,
        },
        given=padded_behind,
    ),
]
