"""Llama 4's text model (Meta 2025): turning layers see a chunk, others see all and do not turn."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, rms, settings
from compiler.importers.config.layers import FULL, every, layer_types, turning
from compiler.importers.config.mixture import listed, mixture_sizes, moe
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.llama import around_mlp
from compiler.importers.names import Names

CHUNKED = "chunked_attention"


def llama4(names: Names) -> dict[str, Any]:
    """Rename rules for Llama 4: its experts are stacked, [in, out], gate beside up."""
    moe, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.moe, names.mlp))
    layer = "layers.{i}.feed_forward"
    dense = {f"{layer}.{part}_proj.*": f"{mlp}.{part}.*" for part in ("gate", "up", "down")}
    return {
        **around_mlp(names),
        **dense,
        "layers.{i}.post_attention_layernorm.*": f"{moe or mlp}.norm.*",
        f"{layer}.router.weight": f"{moe}.router.weight",
        f"{layer}.experts.gate_up_proj": {
            "to": [f"{moe}.experts.{{j}}.{part}.weight" for part in ("gate", "up")],
            "op": ["unstack", "transpose", "split"],
        },
        f"{layer}.experts.down_proj": {
            "to": f"{moe}.experts.{{j}}.down.weight",
            "op": ["unstack", "transpose"],
        },
        **{
            f"{layer}.shared_expert.{part}_proj.*": f"{moe}.shared.{part}.*"
            for part in ("gate", "up", "down")
        },
    }


def spec(config: Config) -> Written:
    """Layers that turn have a norm without weights behind it; those that do not sharpen instead.

    An expert reads the token times the sigmoid of its logit; one more expert reads every token.
    """
    dims, norm = mixture_sizes(config), rms(config)
    sparse = listed(config, "moe_layers", every(config, "interleave_moe_layer_step"))
    config.ignore("interleave_moe_layer_step")
    router = {"score": "none", "after_topk": "sigmoid", "weigh": "input"}
    shared = {"hidden": "d_ff"}
    mixture = moe(config, dims, router=router, sparse=sparse, shared=shared)
    if not all(sparse):
        dims["d_dense"] = config.whole("intermediate_size_mlp")
    feed = {"mlp": {"hidden": "d_dense", "act": config.activation(), "gated": True}}
    config.ignore("intermediate_size_mlp")
    turns = turning(config)
    chunk = config.optional("attention_chunk_size")
    kinds = layer_types(config, lambda _: False, (FULL, CHUNKED))
    if config.get("layer_types") is None and chunk is not None:
        kinds = [CHUNKED if each else FULL for each in turns]
    attention = _attentions(config, dims)

    def layer(turn: bool, kind: str, has_experts: bool) -> Written:
        near = chunk if kind == CHUNKED else None
        mixer = {"attention": said(**attention[turn], chunk=near)}
        return {"attn": mixer, "mlp": mixture if has_experts else feed}

    return decoder(
        config,
        dims,
        defaults=settings(config, norm),
        layers=[layer(*each) for each in zip(turns, kinds, sparse, strict=True)],
        final=norm,
        head=head(config, table="embed_tokens.weight"),
    )


def _attentions(config: Config, dims: Written) -> dict[bool, Written]:
    """Attention by whether it turns."""
    eps = {"eps": config.number("norm_eps"), "affine": False}
    common = said(**heads(dims), mask="causal", bias=config.flag("attention_bias") or None)
    sharp: Written | None = {
        "scale": config.number("attn_scale"),
        "floor": config.whole("floor_scale"),
    }
    if not config.get("attn_temperature_tuning", True):  # a switch, which the first files had as 4
        sharp = None
    normed = {"rms": eps, "when": "after_rope"} if config.flag("use_qk_norm", True) else None
    return {
        True: said(**common, qk_norm=normed, rope=rope(config, pairs="adjacent")),
        False: said(**common, temperature=sharp),
    }


LLAMA4 = Family(
    llama4,
    spec,
    {
        "llama4_text": ModelType(
            "Llama 4 (Meta 2025): a decoder whose layers turn and see a chunk, but for some that "
            "see all and know no positions, with experts that read the token times their share.",
            {
                "vocab_size": 202048,
                "hidden_size": 5120,
                "intermediate_size": 8192,
                "intermediate_size_mlp": 16384,
                "num_hidden_layers": 48,
                "num_attention_heads": 40,
                "num_key_value_heads": 8,
                "head_dim": 128,
                "max_position_embeddings": 131072,
                "num_local_experts": 16,
                "num_experts_per_tok": 1,
                "interleave_moe_layer_step": 1,
                "no_rope_layer_interval": 4,
                "attention_chunk_size": 8192,
                "floor_scale": 8192,
                "attn_scale": 0.1,
                "router_aux_loss_coef": 0.001,
                "hidden_act": "silu",
                "norm_eps": 1e-5,
                "rope_theta": 500000.0,
                "initializer_range": 0.02,
                "tie_word_embeddings": False,
            },
        )
    },
    prefix="model",
)
