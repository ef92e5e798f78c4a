"""gpt-oss (OpenAI 2025): attention sinks, a window on every other layer, clamped gated experts."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, settings
from compiler.importers.config.layers import SLIDING, layer_types
from compiler.importers.config.mixture import mixture_sizes, moe
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import around_mlp
from compiler.importers.names import Names


def gpt_oss(names: Names) -> dict[str, Any]:
    """Rename rules for gpt-oss: its experts are stacked, [in, out], gate and up column by column.

    Files with experts in MXFP4 hold blocks and scales instead, which must be read out first.
    """
    attn, moe = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.moe))
    layer = "layers.{i}.mlp"
    wide = [f"{moe}.experts.{{j}}.{part}" for part in ("gate", "up")]
    down = f"{moe}.experts.{{j}}.down"
    return {
        **around_mlp(names),
        "layers.{i}.self_attn.sinks": f"{attn}.sink.weight",
        "layers.{i}.post_attention_layernorm.*": f"{moe}.norm.*",
        f"{layer}.router.*": f"{moe}.router.*",
        f"{layer}.experts.gate_up_proj": {
            "to": [f"{part}.weight" for part in wide],
            "op": ["unstack", "transpose", "deinterleave"],
        },
        f"{layer}.experts.gate_up_proj_bias": {
            "to": [f"{part}.bias" for part in wide],
            "op": ["unstack", "deinterleave"],
        },
        f"{layer}.experts.down_proj": {"to": f"{down}.weight", "op": ["unstack", "transpose"]},
        f"{layer}.experts.down_proj_bias": {"to": f"{down}.bias", "op": "unstack"},
    }


def spec(config: Config) -> Written:
    """Biases everywhere; the softmax of the router runs over the chosen experts."""
    dims = mixture_sizes(config)
    count, norm = dims["n_layers"], {"rms": config.number("norm_eps")}
    window, turning = config.optional("sliding_window"), rope(config)
    bias = config.flag("attention_bias", True)
    unit = {
        "bias": True,
        "clamp": config.number("swiglu_limit"),
        "alpha": config.number("swiglu_alpha"),
        "up_offset": 1,
    }
    config.ignore("experts_per_token", "initial_context_length")
    router = {"score": "none", "after_topk": "softmax", "bias": True}
    mixture = moe(config, dims, router=router, sparse=[True] * count, expert=unit)

    def layer(kind: str) -> Written:
        near = window if kind == SLIDING else None
        attention = said(
            **heads(dims), mask="causal", window=near, bias=bias or None, sink=True, rope=turning
        )
        return {"attn": {"attention": attention}, "mlp": mixture}

    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer(kind) for kind in layer_types(config, lambda index: index % 2 == 0)],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


GPT_OSS = Family(
    gpt_oss,
    spec,
    {
        "gpt_oss": ModelType(
            "gpt-oss (OpenAI 2025): a decoder with attention sinks, a window on every other layer, "
            "and clamped gated experts in every one.",
            {
                "vocab_size": 201088,
                "hidden_size": 2880,
                "intermediate_size": 2880,
                "num_hidden_layers": 36,
                "num_attention_heads": 64,
                "num_key_value_heads": 8,
                "head_dim": 64,
                "max_position_embeddings": 131072,
                "sliding_window": 128,
                "num_local_experts": 128,
                "num_experts_per_tok": 4,
                "router_aux_loss_coef": 0.001,
                "swiglu_alpha": 1.702,
                "swiglu_limit": 7.0,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "rope_theta": 150000.0,
                "rope_scaling": {
                    "rope_type": "yarn",
                    "factor": 32.0,
                    "beta_fast": 32.0,
                    "beta_slow": 1.0,
                    "truncate": False,
                    "original_max_position_embeddings": 4096,
                },
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
