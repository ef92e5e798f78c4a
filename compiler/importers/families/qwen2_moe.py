"""Qwen1.5-MoE and Qwen2-MoE (Yang et al. 2024): small experts, and one that all tokens pass."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, mlp, rms, settings
from compiler.importers.config.layers import SLIDING, every, layer_types, used_window
from compiler.importers.config.mixture import listed, mixture_sizes, moe
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import llama
from compiler.importers.names import Names


def qwen2_moe(names: Names) -> dict[str, Any]:
    """Rename rules: Llama's, with experts and a shared expert beside its feed-forward network."""
    moe, layer = f"{names.stack}.{{i}}.{names.moe}", "layers.{i}.mlp"
    return {
        **llama(names),
        **experts_by_name(names, layer),
        **{
            f"{layer}.shared_expert.{part}_proj.*": f"{moe}.shared.{part}.*"
            for part in ("gate", "up", "down")
        },
        f"{layer}.shared_expert_gate.weight": f"{moe}.shared.token_gate.weight",
    }


def experts_by_name(names: Names, layer: str) -> dict[str, Any]:
    """Rename rules of a router and its experts, one by one, of which all Qwen's files consist.

    In a model of nothing but mixtures the norm of Llama's feed-forward network is theirs.
    """
    moe = f"{names.stack}.{{i}}.{names.moe}"
    return {
        "layers.{i}.post_attention_layernorm.*": f"{moe}.norm.*",
        f"{layer}.gate.weight": f"{moe}.router.weight",
        **{
            f"{layer}.experts.{{j}}.{part}_proj.weight": f"{moe}.experts.{{j}}.{part}.weight"
            for part in ("gate", "up", "down")
        },
    }


def sparse_layers(config: Config) -> list[bool]:
    """Whether each layer has a mixture: every `decoder_sparse_step`-th one, but for some dense."""
    dense = listed(config, "mlp_only_layers", lambda _: False)
    step = every(config, "decoder_sparse_step")
    return [step(index) and not only for index, only in enumerate(dense)]


def spec(config: Config) -> Written:
    """Llama's layers, most with a mixture, beside an expert whose gate is a sigmoid of the token.

    A window, where it is used, is on every other layer below `max_window_layers`.
    """
    dims, norm = mixture_sizes(config, hidden="moe_intermediate_size"), rms(config)
    sparse = sparse_layers(config)
    shared = {"hidden": config.whole("shared_expert_intermediate_size"), "token_gate": True}
    router = said(renorm=config.flag("norm_topk_prob") or None)
    mixture = moe(config, dims, router=router, sparse=sparse, shared=shared)
    feed, turning = mlp(config, gated=True), rope(config)
    window, bias = used_window(config), config.flag("qkv_bias", True)
    first = config.number("max_window_layers", 0)

    def layer(kind: str, has_experts: bool) -> Written:
        near = window if kind == SLIDING else None
        attention = said(
            **heads(dims), mask="causal", window=near, bias="qkv" if bias else None, rope=turning
        )
        return {"attn": {"attention": attention}, "mlp": mixture if has_experts else feed}

    def slides(index: int) -> bool:
        return window is not None and index < first and index % 2 == 0

    if all(sparse):
        del dims["d_ff"]
    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer(*each) for each in zip(layer_types(config, slides), sparse, strict=True)],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


QWEN2_MOE = Family(
    qwen2_moe,
    spec,
    {
        "qwen2_moe": ModelType(
            "Qwen2-MoE (Yang et al. 2024): a Llama-like decoder with biases on queries, keys and "
            "values, many small experts, and one that every token passes, weighed by a sigmoid.",
            {
                "vocab_size": 151936,
                "hidden_size": 2048,
                "intermediate_size": 5632,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "num_key_value_heads": 16,
                "max_position_embeddings": 32768,
                "sliding_window": 4096,
                "max_window_layers": 28,
                "decoder_sparse_step": 1,
                "moe_intermediate_size": 1408,
                "shared_expert_intermediate_size": 5632,
                "num_local_experts": 60,
                "num_experts_per_tok": 4,
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
