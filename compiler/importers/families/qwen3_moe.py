"""Qwen3-MoE (Yang et al. 2025): Qwen2-MoE with normed queries and keys, and nothing shared."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings
from compiler.importers.config.layers import used_window
from compiler.importers.config.mixture import mixture_sizes, moe
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama, query_key_norms
from compiler.importers.families.qwen2_moe import experts_by_name, sparse_layers
from compiler.importers.names import Names


def qwen3_moe(names: Names) -> dict[str, Any]:
    """Rename rules: Llama's, with norms of queries and keys, and experts one by one."""
    return {
        **llama(names),
        **query_key_norms(names),
        **experts_by_name(names, "layers.{i}.mlp"),
    }


def spec(config: Config) -> Written:
    """Llama's layers, most with a mixture; a norm over each head, before it turns."""
    dims, norm = mixture_sizes(config, hidden="moe_intermediate_size"), rms(config)
    sparse = sparse_layers(config)
    router = said(renorm=config.flag("norm_topk_prob") or None)
    mixture, feed = moe(config, dims, router=router, sparse=sparse), mlp(config, gated=True)
    config.ignore("max_window_layers")
    attention = said(
        **heads(dims),
        mask="causal",
        window=used_window(config),
        bias=config.flag("attention_bias") or None,
        qk_norm=norm,
        rope=rope(config),
    )
    if all(sparse):
        del dims["d_ff"]
    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[
            {"attn": {"attention": attention}, "mlp": mixture if has_experts else feed}
            for has_experts in sparse
        ],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


QWEN3_MOE = Family(
    qwen3_moe,
    spec,
    {
        "qwen3_moe": ModelType(
            "Qwen3-MoE (Yang et al. 2025): a Llama-like decoder with normed queries and keys and "
            "many small experts in every layer.",
            {
                "vocab_size": 151936,
                "hidden_size": 2048,
                "intermediate_size": 6144,
                "num_hidden_layers": 24,
                "num_attention_heads": 32,
                "num_key_value_heads": 4,
                "max_position_embeddings": 32768,
                "sliding_window": 4096,
                "decoder_sparse_step": 1,
                "moe_intermediate_size": 768,
                "num_local_experts": 128,
                "num_experts_per_tok": 8,
                "router_aux_loss_coef": 0.001,
                "hidden_act": "silu",
                "norm_eps": 1e-6,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
