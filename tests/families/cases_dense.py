"""Dense text decoders."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tests.families.case import Case, hidden

LLAMA = {
    "vocab_size": 97,
    "hidden_size": 32,
    "intermediate_size": 56,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
}
GPT = {"vocab_size": 97, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 64}
SMOL = {**LLAMA, "num_hidden_layers": 5, "pad_token_id": 0}
NEOX = {k: v for k, v in LLAMA.items() if k != "num_key_value_heads"}
NEO = {
    "vocab_size": 97,
    "hidden_size": 32,
    "num_layers": 3,
    "num_heads": 4,
    "max_position_embeddings": 64,
    "window_size": 4,
    "attention_types": [[["global", "local"], 1], [["local"], 1]],
}
OPT = {
    "vocab_size": 97,
    "hidden_size": 32,
    "ffn_dim": 56,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "word_embed_proj_dim": 32,
}


ROPES: list[dict[str, Any]] = [
    {"rope_type": "linear", "rope_theta": 1000.0, "factor": 4.0},
    {"rope_type": "dynamic", "rope_theta": 1000.0, "factor": 2.0},
    {
        "rope_type": "llama3",
        "rope_theta": 1000.0,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 32,
    },
    {
        "rope_type": "yarn",
        "rope_theta": 1000.0,
        "factor": 4.0,
        "beta_fast": 8.0,
        "original_max_position_embeddings": 16,
    },
]


def as_of_v4(said: dict[str, Any]) -> None:
    """The base and the scaling as they were two keys before transformers 5, types by their name."""
    scaling = said.pop("rope_parameters")
    said["rope_theta"] = scaling.pop("rope_theta")
    said["rope_scaling"] = scaling
    said["torch_dtype"] = said.pop("dtype")
    del said["head_dim"]


def dense(name: str, model: str, sizes: Mapping[str, Any], **more: Any) -> Case:
    """A case whose classes are called `<model>Config` and `<model>ForCausalLM`."""
    return Case(name, f"{model}Config", f"{model}ForCausalLM", {**sizes, **more})


CASES = [
    Case("gpt2", "GPT2Config", "GPT2LMHeadModel", GPT),
    Case(
        "gpt2-scaled-by-layer",
        "GPT2Config",
        "GPT2LMHeadModel",
        {**GPT, "scale_attn_by_inverse_layer_idx": True, "n_inner": 48},
    ),
    dense("gpt_bigcode", "GPTBigCode", GPT),
    dense("gpt_bigcode-multi-head", "GPTBigCode", GPT, multi_query=False),
    dense("gpt_neo", "GPTNeo", NEO),
    dense("gpt_neox", "GPTNeoX", NEOX),
    dense("gpt_neox-in-turn", "GPTNeoX", NEOX, use_parallel_residual=False, attention_bias=False),
    dense("gptj", "GPTJ", GPT, rotary_dim=4),
    dense("gptj-whole-heads", "GPTJ", GPT, rotary_dim=8, n_inner=40),
    dense("codegen", "CodeGen", {**GPT, "n_head": 8}, rotary_dim=2),
    dense("opt", "OPT", OPT),
    dense("opt-narrow-table", "OPT", OPT, word_embed_proj_dim=24, do_layer_norm_before=False),
    dense("llama", "Llama", LLAMA),
    dense(
        "llama-biases",
        "Llama",
        LLAMA,
        attention_bias=True,
        mlp_bias=True,
        tie_word_embeddings=True,
    ),
    Case("gpt2-bare", "GPT2Config", "GPT2Model", GPT, wanted=hidden),
    Case("llama-bare", "LlamaConfig", "LlamaModel", LLAMA, wanted=hidden),
    dense("llama-head-dim", "Llama", LLAMA, head_dim=16),
    *(dense(f"llama-{said['rope_type']}", "Llama", LLAMA, rope_parameters=said) for said in ROPES),
    replace(dense("llama-of-v4", "Llama", LLAMA, rope_parameters=ROPES[2]), edit=as_of_v4),
    dense("mistral", "Mistral", LLAMA, sliding_window=5),
    dense("mistral-without-window", "Mistral", LLAMA, sliding_window=None),
    dense("qwen2", "Qwen2", LLAMA),
    dense(
        "qwen2-windows",
        "Qwen2",
        LLAMA,
        use_sliding_window=True,
        sliding_window=4,
        max_window_layers=1,
    ),
    dense("phi", "Phi", LLAMA),
    dense("starcoder2", "Starcoder2", LLAMA),
    dense("starcoder2-window", "Starcoder2", LLAMA, sliding_window=5, use_bias=False),
    dense("nemotron", "Nemotron", LLAMA),
    dense("nemotron-biases", "Nemotron", LLAMA, attention_bias=True, mlp_bias=True),
    dense("glm", "Glm", {**LLAMA, "head_dim": 8, "pad_token_id": 0}),
    dense(
        "glm-without-biases",
        "Glm",
        {**LLAMA, "head_dim": 16, "pad_token_id": 0},
        attention_bias=False,
    ),
    dense("ernie4_5", "Ernie4_5", {**LLAMA, "head_dim": 16}),
    dense("ernie4_5-biases", "Ernie4_5", {**LLAMA, "head_dim": 8}, use_bias=True),
    dense("helium", "Helium", {**LLAMA, "head_dim": 8}),
    dense("helium-biases", "Helium", {**LLAMA, "head_dim": 8}, attention_bias=True, mlp_bias=True),
    dense("glm4", "Glm4", {**LLAMA, "head_dim": 8, "pad_token_id": 0}),
    dense("smollm3", "SmolLM3", SMOL),
    dense(
        "smollm3-windows",
        "SmolLM3",
        SMOL,
        use_sliding_window=True,
        sliding_window=4,
        no_rope_layer_interval=2,
        attention_bias=True,
    ),
]
