"""Llama's files as published for transformers, with rotary pairs already in halves."""

from typing import Any

from compiler.importers.names import Names


def llama(names: Names) -> dict[str, Any]:
    """Rename rules for Llama 1 to 3, Mistral and Qwen2; the prefix `model.` is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "layers.{i}"
    return {
        "embed_tokens.weight": f"{names.embed}.weight",
        f"{layer}.input_layernorm.weight": f"{attn}.norm.weight",
        f"{layer}.self_attn.q_proj.*": f"{attn}.q.*",
        f"{layer}.self_attn.k_proj.*": f"{attn}.k.*",
        f"{layer}.self_attn.v_proj.*": f"{attn}.v.*",
        f"{layer}.self_attn.o_proj.*": f"{attn}.o.*",
        f"{layer}.post_attention_layernorm.weight": f"{mlp}.norm.weight",
        f"{layer}.mlp.gate_proj.*": f"{mlp}.gate.*",
        f"{layer}.mlp.up_proj.*": f"{mlp}.up.*",
        f"{layer}.mlp.down_proj.*": f"{mlp}.down.*",
        "norm.weight": f"{names.final}.weight",
        "lm_head.weight": f"{names.head}.weight" if names.head else "drop",
        "*.rotary_emb.inv_freq": "drop",
    }
