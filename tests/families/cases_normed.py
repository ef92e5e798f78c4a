"""Dense text decoders whose attention has more than Llama's: norms, caps, clips, factors."""

from dataclasses import replace
from typing import Any

from tests.families.case import Case
from tests.families.cases_dense import LLAMA, dense

WIDE = {**LLAMA, "head_dim": 16}
GEMMA2 = {**WIDE, "num_hidden_layers": 4, "sliding_window": 5, "query_pre_attn_scalar": 24}
GEMMA3 = {**GEMMA2, "sliding_window_pattern": 3}
SCALED = {
    "full_attention": {"rope_type": "linear", "rope_theta": 5000.0, "factor": 8.0},
    "sliding_attention": {"rope_type": "default", "rope_theta": 300.0},
}


def gemma_1_as_released(said: dict[str, Any]) -> None:
    """The activation as the first files have it: `gelu`, which means the one with tanh."""
    said["hidden_act"] = "gelu"
    said["hidden_activation"] = None


def gemma_3_of_v4(said: dict[str, Any]) -> None:
    """Two bases as two keys, the scaling that of far layers, the pattern as a number."""
    ropes = said.pop("rope_parameters")
    said["rope_theta"] = ropes["full_attention"].pop("rope_theta")
    said["rope_scaling"] = ropes["full_attention"]
    said["rope_local_base_freq"] = ropes["sliding_attention"]["rope_theta"]
    said["sliding_window_pattern"] = 3
    said["cache_implementation"] = "hybrid"
    del said["layer_types"]


def gemma3(name: str, **more: Any) -> Case:
    """A case of the text model, whose two classes are not called alike."""
    return Case(name, "Gemma3TextConfig", "Gemma3ForCausalLM", {**GEMMA3, **more})


GRANITE = {
    "embedding_multiplier": 12.0,
    "attention_multiplier": 0.25,
    "residual_multiplier": 0.22,
    "logits_scaling": 8.0,
}
CASES = [
    dense("gemma", "Gemma", WIDE),
    replace(
        dense("gemma-one-key-head", "Gemma", {**WIDE, "num_key_value_heads": 1}),
        edit=gemma_1_as_released,
    ),
    dense("gemma2", "Gemma2", GEMMA2),
    dense(
        "gemma2-without-caps",
        "Gemma2",
        {**GEMMA2, "attn_logit_softcapping": None, "query_pre_attn_scalar": 16},
        final_logit_softcapping=None,
    ),
    dense("gemma2-small-caps", "Gemma2", GEMMA2, attn_logit_softcapping=0.5),
    gemma3("gemma3_text"),
    replace(
        gemma3("gemma3_text-of-v4", rope_parameters=SCALED),
        edit=gemma_3_of_v4,
    ),
    gemma3("gemma3_text-scaled", rope_parameters=SCALED),
    dense("qwen3", "Qwen3", WIDE),
    dense(
        "qwen3-windows",
        "Qwen3",
        {**LLAMA, "head_dim": 8},
        use_sliding_window=True,
        sliding_window=4,
        max_window_layers=1,
        attention_bias=True,
        tie_word_embeddings=True,
    ),
    dense("olmo", "Olmo", LLAMA),
    dense("olmo-clipped", "Olmo", LLAMA, clip_qkv=0.5),
    dense("olmo2", "Olmo2", LLAMA),
    dense("cohere", "Cohere", LLAMA),
    dense("cohere-normed", "Cohere", LLAMA, use_qk_norm=True, logit_scale=0.5),
    dense("granite", "Granite", LLAMA),
    dense("granite-factors", "Granite", LLAMA, **GRANITE, mlp_bias=True, attention_bias=True),
    dense("stablelm", "StableLm", LLAMA),
    dense("stablelm-biases", "StableLm", LLAMA, use_qkv_bias=True, qk_layernorm=True),
    dense(
        "stablelm-parallel",
        "StableLm",
        LLAMA,
        use_parallel_residual=True,
        qk_layernorm=True,
        tie_word_embeddings=True,
    ),
]
