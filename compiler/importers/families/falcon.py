"""Falcon (Almazrouei et al. 2023): mixers side by side with shared keys, or RefinedWeb's layers."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import (
    decoder,
    head,
    heads,
    layer_norm,
    mlp,
    parallel,
    settings,
    sizes,
)
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def falcon(names: Names) -> dict[str, Any]:
    """Rename rules for Falcon; q, k and v lie together, the queries of a key head before it.

    A norm is called by where it stands. The prefix `transformer.` is left out.
    """
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    layer, first = "h.{i}", f"{attn}.norm.*"
    if names.block:
        first = f"{names.stack}.{{i}}.{names.block}.norm.*"
        norms = {f"{layer}.ln_attn.*": f"{attn}.norm.*", f"{layer}.ln_mlp.*": f"{mlp}.norm.*"}
    else:
        norms = {f"{layer}.post_attention_layernorm.*": f"{mlp}.norm.*"}
    return {
        "word_embeddings.weight": names.table,
        f"{layer}.input_layernorm.*": first,
        **norms,
        f"{layer}.self_attention.query_key_value.*": {
            "to": [f"{attn}.q.*", f"{attn}.k.*", f"{attn}.v.*"],
            "op": "regroup(G (H/G+2) K)",
        },
        f"{layer}.self_attention.dense.*": f"{attn}.o.*",
        f"{layer}.mlp.dense_h_to_4h.*": f"{mlp}.up.*",
        f"{layer}.mlp.dense_4h_to_h.*": f"{mlp}.down.*",
        "ln_f.*": f"{names.final}.*",
        "lm_head.weight": of(names.head, "weight"),
        "*.rotary_emb.inv_freq": "drop",
    }


def spec(config: Config) -> Written:
    """One step around both mixers, with a norm or one for each, or two steps in turn.

    ALiBi is exact here; transformers rounds it to bfloat16, which shows where the number of heads
    is no power of four.
    """
    new = config.flag("new_decoder_architecture")
    together = config.flag("parallel_attn", True)
    dims, norm, feed = sizes(config, kv_heads=_keys(config, new)), layer_norm(config), mlp(config)
    config.ignore("num_key_value_heads")
    if new and not together:
        config.refuse("parallel_attn", "the new architecture has its mixers side by side")
    places: Written = {"rope": None if config.flag("alibi") else rope(config)}
    if config.flag("alibi"):
        config.ignore("rope_parameters", "rope_scaling", "rope_theta")
        places = {"position_bias": {"alibi": {"scaled": True}}}
    attention = {"attention": said(**heads(dims), mask="causal", **places)}
    apart = new and config.get("num_ln_in_parallel_attn", 2) == 2
    config.ignore("num_ln_in_parallel_attn")
    layer = parallel(attention, feed, norm if apart else None)
    return decoder(
        config,
        dims,
        defaults=settings(config, norm, bias=config.flag("bias")),
        layers=[layer if together else {"attn": attention, "mlp": feed}] * dims["n_layers"],
        final=norm,
        head=head(config, table="word_embeddings.weight"),
    )


def _keys(config: Config, new: bool) -> int:
    """How many key heads there are: written in the new architecture, else one or all."""
    queries = config.whole("num_attention_heads")
    if new:
        config.ignore("multi_query")
        return config.optional("num_key_value_heads") or queries
    return 1 if config.flag("multi_query", True) else queries


FALCON = Family(
    falcon,
    spec,
    {
        "falcon": ModelType(
            "Falcon (Almazrouei et al. 2023): a decoder with attention and mlp side by side in one "
            "step and few key heads; that of RefinedWeb has biases and ALiBi.",
            {
                "vocab_size": 65024,
                "hidden_size": 4544,
                "num_hidden_layers": 32,
                "num_attention_heads": 71,
                "max_position_embeddings": 2048,
                "rope_theta": 10000.0,
                "hidden_act": "gelu",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="transformer",
)
