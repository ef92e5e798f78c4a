"""Dense text decoders."""

from tests.families.case import Case

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

CASES = [
    Case("gpt2", "GPT2Config", "GPT2LMHeadModel", GPT),
    Case(
        "gpt2-scaled-by-layer",
        "GPT2Config",
        "GPT2LMHeadModel",
        {**GPT, "scale_attn_by_inverse_layer_idx": True, "n_inner": 48},
    ),
    Case("llama", "LlamaConfig", "LlamaForCausalLM", LLAMA),
    Case(
        "llama-biases",
        "LlamaConfig",
        "LlamaForCausalLM",
        {**LLAMA, "attention_bias": True, "mlp_bias": True, "tie_word_embeddings": True},
    ),
    Case("llama-head-dim", "LlamaConfig", "LlamaForCausalLM", {**LLAMA, "head_dim": 16}),
    Case("mistral", "MistralConfig", "MistralForCausalLM", {**LLAMA, "sliding_window": 5}),
    Case(
        "mistral-without-window",
        "MistralConfig",
        "MistralForCausalLM",
        {**LLAMA, "sliding_window": None},
    ),
]
