"""Gemma 3 (Gemma team 2025), the text model: normed queries and keys, five local layers to one."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, heads, settings, sizes
from compiler.importers.config.layers import FULL, SLIDING, layer_types
from compiler.importers.config.rope import rope
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType
from compiler.importers.families.gemma import EMBED, ONE_WAY, feed, rms
from compiler.importers.families.gemma2 import GEMMA2_SIZES, capped_head, gemma2, scale
from compiler.importers.families.llama import query_key_norms
from compiler.importers.names import Names

LOCAL_BASE = 10000.0


def gemma3(names: Names) -> dict[str, Any]:
    """Rename rules for Gemma 3: Gemma 2's and the norms of queries and keys."""
    return {
        **gemma2(names),
        **query_key_norms(names),
    }


def spec(config: Config) -> Written:
    """Gemma 2's layers; near and far ones turn by different bases, scaled in the far ones."""
    config.only("use_bidirectional_attention", False, ONE_WAY)
    dims, norm, mlp = sizes(config), rms(config), feed(config)
    window, factor = config.optional("sliding_window"), scale(config)
    cap, biases = config.get("attn_logit_softcapping"), config.flag("attention_bias") or None
    turns = {SLIDING: _local(config), FULL: rope(config, FULL)}
    pattern = config.optional("sliding_window_pattern") or 6

    def layer(kind: str) -> Written:
        attention = said(
            **heads(dims),
            mask="causal",
            window=window if kind == SLIDING else None,
            scale=factor,
            bias=biases,
            softcap=cap,
            qk_norm=norm,
            rope=turns[kind],
        )
        return {"attn": {"attention": attention}, "mlp": mlp}

    return decoder(
        config,
        dims,
        embed=EMBED,
        defaults={**settings(config, norm), "norm_at": ["pre", "out"]},
        layers=[layer(kind) for kind in layer_types(config, lambda i: (i + 1) % pattern != 0)],
        final=norm,
        head=capped_head(config),
    )


def _local(config: Config) -> Written | None:
    """The rotary positions of near layers, which have a base of their own and no scaling."""
    if "rope_parameters" in config:
        return rope(config, SLIDING)
    return {"theta": config.number("rope_local_base_freq", LOCAL_BASE)}


GEMMA3 = Family(
    gemma3,
    spec,
    {
        "gemma3_text": ModelType(
            "Gemma 3 (Gemma team 2025), the text model: Gemma 2 with normed queries and keys "
            "instead of soft caps, and five near layers to one far.",
            {
                **GEMMA2_SIZES,
                "vocab_size": 262208,
                "max_position_embeddings": 131072,
                "rope_theta": 1000000.0,
            },
        )
    },
    prefix="model",
)
