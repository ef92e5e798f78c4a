"""MPT (MosaicML 2023): distances count against keys, and nothing has a bias, norms neither."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, settings, sizes
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def mpt(names: Names) -> dict[str, Any]:
    """Rename rules for MPT, whose q, k and v are one; the prefix `transformer.` is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer = "blocks.{i}"
    return {
        "wte.weight": names.table,
        f"{layer}.norm_1.weight": f"{attn}.norm.weight",
        f"{layer}.norm_2.weight": f"{mlp}.norm.weight",
        f"{layer}.attn.Wqkv.weight": {
            "to": [f"{attn}.q.weight", f"{attn}.k.weight", f"{attn}.v.weight"],
            "op": "split",
        },
        f"{layer}.attn.out_proj.weight": f"{attn}.o.weight",
        f"{layer}.ffn.up_proj.weight": f"{mlp}.up.weight",
        f"{layer}.ffn.down_proj.weight": f"{mlp}.down.weight",
        "norm_f.weight": f"{names.final}.weight",
        "lm_head.weight": of(names.head, "weight"),
    }


def spec(config: Config) -> Written:
    """A decoder without biases, whose attention has a mapping of its own in the config."""
    config.only("no_bias", True, "only models without biases are imported")
    config.only("logit_scale", None, "only plain logits are imported")
    config.only("expansion_ratio", 4, "only an mlp of four times the width is imported")
    config.only("norm_type", "low_precision_layernorm", "only layer norms are imported")
    config.ignore("learned_pos_emb", "embedding_fraction", "init_device", "init_config")
    config.ignore("verbose", "tokenizer_name")
    dims = sizes(config)
    norm: Written = {"layer": {"eps": config.number("norm_eps"), "bias": False}}
    attention, rate = _attention(config.nested("attn_config"), dims)
    found = settings(config, norm, embed="emb_pdrop")
    config.ignore("hidden_dropout")
    found.pop("dropout", None)
    found |= said(dropout={"residual": rate, "attention": rate} if rate else None)
    mlp = {"mlp": {"hidden": "d_ff", "act": "gelu"}}
    return decoder(
        config,
        dims,
        defaults=found,
        layers=[{"attn": {"attention": attention}, "mlp": mlp}] * dims["n_layers"],
        final=norm,
        head=head(config, table="wte.weight"),
    )


def _attention(inner: Config, dims: Written) -> tuple[Written, float]:
    """Attention, and the one rate of all that is dropped."""
    inner.only("alibi", True, "only positions by distance are imported")
    inner.only("attn_type", "multihead_attention", "only heads with keys of their own are imported")
    for word in ("prefix_lm", "qk_ln"):
        inner.only(word, False, "is in no published model of transformers")
    inner.ignore("attn_impl", "attn_uses_sequence_id", "model_type")
    clip, scale = inner.get("clip_qkv"), inner.get("softmax_scale")
    found = said(
        **heads(dims),
        mask="causal",
        scale=None if scale is None else inner.number("softmax_scale"),
        clip_qkv=inner.number("clip_qkv") if clip else None,
        position_bias={"alibi": said(max_bias=_other(inner.number("alibi_bias_max", 8)))},
    )
    return found, inner.number("attn_pdrop", 0.0)


def _other(most: float) -> float | None:
    """The flattest slope's exponent where it is not what it is without a word."""
    return None if most == 8 else most


MPT = Family(
    mpt,
    spec,
    {
        "mpt": ModelType(
            "MPT (MosaicML 2023): a decoder whose scores fall with the distance of a key (ALiBi); "
            "neither its maps nor its norms have biases.",
            {
                "vocab_size": 50368,
                "hidden_size": 2048,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "max_position_embeddings": 2048,
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="transformer",
)
