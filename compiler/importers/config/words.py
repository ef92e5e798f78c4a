"""The words of config.json: which mean the same, and which say nothing about the architecture."""

from collections.abc import Mapping

ALIASES: Mapping[str, tuple[str, ...]] = {
    "hidden_size": ("n_embd", "n_embed", "d_model", "dim"),
    "num_hidden_layers": ("n_layer", "num_layers", "n_layers"),
    "num_attention_heads": ("n_head", "num_heads", "n_heads"),
    "num_key_value_heads": ("num_kv_heads", "n_head_kv", "kv_n_heads"),
    "head_dim": ("d_kv",),
    "intermediate_size": ("n_inner", "ffn_dim", "d_ff", "hidden_dim", "ffn_hidden_size"),
    "max_position_embeddings": ("n_positions", "max_seq_len", "seq_length", "max_seq_length"),
    "norm_eps": (
        "rms_norm_eps",
        "layer_norm_eps",
        "layer_norm_epsilon",
        "layernorm_epsilon",
        "norm_epsilon",
    ),
    "hidden_act": ("activation_function", "hidden_activation", "activation"),
    "attention_dropout": ("attn_pdrop", "attention_probs_dropout_prob"),
    "hidden_dropout": (
        "resid_pdrop",
        "resid_dropout",
        "residual_dropout",
        "hidden_dropout_prob",
        "dropout",
        "dropout_rate",
    ),
    "embedding_dropout": ("embd_pdrop", "embed_dropout", "emb_dropout_prob"),
    "initializer_range": ("init_std",),
    "num_local_experts": ("num_experts", "n_routed_experts"),
    "rope_theta": ("rotary_emb_base",),
    "partial_rotary_factor": ("rotary_pct", "rope_percent"),
}
"""The word that importers ask for, and other words that configs have for it."""

OWN: Mapping[str, str] = {alias: word for word, names in ALIASES.items() for alias in names}
"""The word that importers ask for, by each other word for it."""

ACTIVATIONS: Mapping[str, str] = {
    "gelu": "gelu",
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "quick_gelu": "quick_gelu",
    "relu": "relu",
    "relu2": "relu2",
    "silu": "silu",
    "swish": "silu",
    "tanh": "tanh",
    "sigmoid": "sigmoid",
}
"""Their activations by our words; `gelu` alone is the exact one (Hendrycks & Gimpel 2016)."""

_IGNORED: Mapping[str, str] = {
    "how the file came about": """
        transformers_version torch_dtype dtype auto_map attn_implementation name_or_path
        tokenizer_class processor_class finetuning_task task_specific_params license language
        chat_template converted_from unsloth_version unsloth_fixed model_name is_llama_config""",
    "ids of special tokens, which are the tokenizer's": """
        bos_token_id eos_token_id pad_token_id sep_token_id cls_token_id mask_token_id
        unk_token_id decoder_start_token_id forced_bos_token_id forced_eos_token_id prefix
        suppress_tokens begin_suppress_tokens forced_decoder_ids""",
    "how text is generated": """
        use_cache max_length min_length do_sample early_stopping num_beams num_beam_groups
        diversity_penalty temperature top_k top_p typical_p repetition_penalty length_penalty
        no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids num_return_sequences
        output_scores return_dict_in_generate remove_invalid_values
        exponential_decay_length_penalty tokens_to_generate max_new_tokens min_new_tokens max_time
        stop_strings min_p top_h epsilon_cutoff eta_cutoff penalty_alpha dola_layers
        encoder_repetition_penalty renormalize_logits sequence_bias constraints force_words_ids
        token_healing guidance_scale watermarking_config output_logits low_memory
        cache_implementation cache_config max_cache_len prefill_chunk_size compile_config
        disable_compile is_assistant num_assistant_tokens num_assistant_tokens_schedule
        assistant_confidence_threshold assistant_early_exit assistant_lookbehind target_lookbehind
        prompt_lookup_num_tokens max_matching_ngram_size""",
    "how a program runs": """
        output_past output_attentions output_hidden_states return_dict torchscript tf_legacy_loss
        use_bfloat16
        gradient_checkpointing pruned_heads chunk_size_feed_forward pretraining_tp bf16 fp16
        use_flash_attn use_flash_attention attention_softmax_in_fp32
        scale_attention_softmax_in_fp32 reorder_and_upcast_attn ep_size inference_runner
        max_batch_size max_sequence_length pad_key_length pre_allocate_kv_cache
        validate_runner_input transformers.js_config""",
    "the training that was": """
        layerdrop encoder_layerdrop decoder_layerdrop apply_spec_augment neftune_noise_alpha
        seq_aux""",
    "heads for classification, which have weights of their own": """
        id2label label2id problem_type num_labels classifier_dropout classifier_activation
        summary_activation summary_first_dropout summary_proj_to_labels summary_type
        summary_use_proj""",
    "a number that another key has already": "n_ctx",
}

IGNORED: Mapping[str, str] = {
    word: reason for reason, words in _IGNORED.items() for word in words.split()
}
"""Keys that say nothing about the function a model computes, and why."""

MEANINGS: Mapping[str, str] = {
    "attention_bias": "biases on the projections, `attention: {bias: qkvo}`",
    "use_bias": "biases on all linear maps, `defaults: {bias: true}`",
    "mlp_bias": "biases of the feed-forward network, `mlp: {bias: true}`",
    "sliding_window": "how far back a query sees, `attention: {window: n}`",
    "use_sliding_window": "windows in some layers, `attention: {window: n}`",
    "layer_types": "the kind of every layer, `cycle:` and `at:` of the stack",
    "alibi": "a penalty on distance, `position_bias: {alibi: {}}`",
    "rope_scaling": "longer contexts, `rope: {scaling: …}`",
    "rope_parameters": "rotary positions, `rope: {…}`",
    "partial_rotary_factor": "rotary positions on a part of each head, `rope: {fraction: …}`",
    "qk_layernorm": "norms on queries and keys, `attention: {qk_norm: …}`",
    "use_qk_norm": "norms on queries and keys, `attention: {qk_norm: …}`",
    "clip_qkv": "a bound on queries, keys and values, `attention: {clip_qkv: n}`",
    "attn_logit_softcapping": "a soft bound on the scores, `attention: {softcap: n}`",
    "final_logit_softcapping": "a soft bound on the logits, `unembed: {softcap: n}`",
    "logit_scale": "a factor on the logits, `unembed: {scale: n}`",
    "is_decoder": "a causal mask, `attention: {mask: causal}`",
    "add_cross_attention": "a second sequence to look at, `attention: {source: …}`",
    "scale_embedding": "a factor on the embedding, `embed: {scale: sqrt(d_model)}`",
    "embedding_multiplier": "a factor on the embedding, `embed: {scale: n}`",
    "residual_multiplier": "a factor on every branch, `branch_scale: n` of a sub-layer",
    "attention_multiplier": "the factor on the scores, `attention: {scale: n}`",
    "query_pre_attn_scalar": "the factor on the scores, `attention: {scale: n**-0.5}`",
    "logits_scaling": "a divisor of the logits, `unembed: {scale: 1/n}`",
    "no_rope_layers": "layers that do not turn, `cycle: [{attn.rope: none}]`",
    "attention_chunk_size": "pieces of a sequence, `attention: {chunk: n}`",
    "num_experts": "a mixture of experts, `moe: {experts: n}`",
    "num_local_experts": "a mixture of experts, `moe: {experts: n}`",
    "n_routed_experts": "a mixture of experts, `moe: {experts: n}`",
    "kv_lora_rank": "latent keys and values, `attention: {latent: {kv_rank: n}}`",
    "type_vocab_size": "a table of token types, `embed: {types: n}`",
    "text_config": "a text model inside another, whose own config would be imported",
    "vision_config": "a vision model inside another, whose own config would be imported",
    "num_nextn_predict_layers": "layers that predict further tokens, which a spec cannot say",
}
"""What some keys mean, for a reader who must write it by hand."""
