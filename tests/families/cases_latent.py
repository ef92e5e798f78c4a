"""Text decoders with latent attention, and with rotary positions that change with the length."""

from typing import Any

from tests.families.case import Case, Given, tokens

SMALL = {
    "vocab_size": 97,
    "hidden_size": 32,
    "intermediate_size": 40,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
}
LATENT = {
    **SMALL,
    "num_key_value_heads": 4,
    "kv_lora_rank": 20,
    "q_lora_rank": 24,
    "qk_nope_head_dim": 12,
    "qk_rope_head_dim": 8,
    "v_head_dim": 10,
    "n_routed_experts": 8,
    "num_experts_per_tok": 3,
    "moe_intermediate_size": 16,
    "first_k_dense_replace": 1,
    "routed_scaling_factor": 1.5,
}
GROUPS = {"n_group": 4, "topk_group": 2}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 100.0,
    "factor": 4.0,
    "beta_fast": 4.0,
    "beta_slow": 1.0,
    "mscale": 0.9,
    "mscale_all_dim": 0.7,
    "original_max_position_embeddings": 16,
}
PHI3 = {**SMALL, "num_key_value_heads": 2, "pad_token_id": 0}
LONGROPE = {
    **PHI3,
    "original_max_position_embeddings": 16,
    "rope_parameters": {
        "rope_type": "longrope",
        "rope_theta": 100.0,
        "short_factor": [1.0, 1.125, 1.25, 1.5],
        "long_factor": [1.0, 2.0, 4.0, 8.0],
    },
}


def older(config: dict[str, Any]) -> None:
    """As transformers 4 wrote a config: a base of its own, and a mapping for what stretches it."""
    parameters = config.pop("rope_parameters")
    config["rope_theta"] = parameters.pop("rope_theta")
    parameters.pop("partial_rotary_factor", None)
    parameters["type"] = parameters.pop("rope_type")
    config["rope_scaling"] = None if parameters["type"] == "default" else parameters


def first_v2(config: dict[str, Any]) -> None:
    """As published: with the words of its own program."""
    older(config)
    config |= {"scoring_func": "softmax", "moe_layer_freq": 1, "ep_size": 1, "seq_aux": True}
    config |= {"aux_loss_alpha": 0.001, "norm_topk_prob": False}


def first_v3(config: dict[str, Any]) -> None:
    """As published: with a layer that predicts one token more."""
    older(config)
    config |= {"scoring_func": "sigmoid", "topk_method": "noaux_tc", "moe_layer_freq": 1}
    config |= {"num_nextn_predict_layers": 1, "ep_size": 1, "seq_aux": True}
    config |= {"aux_loss_alpha": 0.001}
    del config["rope_interleave"]


def short_tokens() -> Given:
    """As many as there were in training."""
    return tokens(length=16)


def long_tokens() -> Given:
    """More than there were in training."""
    return tokens(length=17)


CASES = [
    Case("deepseek_v2", "DeepseekV2Config", "DeepseekV2ForCausalLM", LATENT),
    Case(
        "deepseek_v2-lite",
        "DeepseekV2Config",
        "DeepseekV2ForCausalLM",
        {**LATENT, "q_lora_rank": None, "rope_parameters": YARN, "n_shared_experts": 1},
        edit=first_v2,
    ),
    Case(
        "deepseek_v2-groups",
        "DeepseekV2Config",
        "DeepseekV2ForCausalLM",
        {
            **LATENT,
            **GROUPS,
            "topk_method": "group_limited_greedy",
            "first_k_dense_replace": 0,
            "rope_parameters": YARN,
        },
    ),
    Case("deepseek_v3", "DeepseekV3Config", "DeepseekV3ForCausalLM", {**LATENT, **GROUPS}),
    Case(
        "deepseek_v3-first",
        "DeepseekV3Config",
        "DeepseekV3ForCausalLM",
        {**LATENT, **GROUPS, "rope_parameters": YARN},
        edit=first_v3,
    ),
    Case(
        "deepseek_v3-dense",
        "DeepseekV3Config",
        "DeepseekV3ForCausalLM",
        {**LATENT, **GROUPS, "first_k_dense_replace": 3, "rope_interleave": False},
    ),
    Case(
        "deepseek_v3-one-group",
        "DeepseekV3Config",
        "DeepseekV3ForCausalLM",
        {**LATENT, "n_group": 1, "topk_group": 1, "norm_topk_prob": False, "q_lora_rank": None},
    ),
    Case("phi3", "Phi3Config", "Phi3ForCausalLM", PHI3),
    Case(
        "phi3-window",
        "Phi3Config",
        "Phi3ForCausalLM",
        {**PHI3, "sliding_window": 5},
        edit=older,
    ),
    Case("phi3-short", "Phi3Config", "Phi3ForCausalLM", LONGROPE, given=short_tokens),
    Case("phi3-long", "Phi3Config", "Phi3ForCausalLM", LONGROPE, given=long_tokens, edit=older),
]
