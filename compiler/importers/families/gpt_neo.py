"""GPT-Neo (Black et al. 2021): GPT-2 with local attention in every other layer, scores unscaled."""

from typing import Any

from archspec.model.stacks import MAX_REPEAT
from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, layer_norm, mlp, settings, sizes
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

KINDS = ("global", "local")


def gpt_neo(names: Names) -> dict[str, Any]:
    """Rename rules for GPT-Neo; the prefix `transformer.` is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    inner = "h.{i}.attn.attention"
    return {
        "wte.weight": names.table,
        "wpe.weight": names.positions,
        "h.{i}.ln_1.*": f"{attn}.norm.*",
        f"{inner}.bias": "drop",
        f"{inner}.masked_bias": "drop",
        f"{inner}.q_proj.*": f"{attn}.q.*",
        f"{inner}.k_proj.*": f"{attn}.k.*",
        f"{inner}.v_proj.*": f"{attn}.v.*",
        f"{inner}.out_proj.*": f"{attn}.o.*",
        "h.{i}.ln_2.*": f"{mlp}.norm.*",
        "h.{i}.mlp.c_fc.*": f"{mlp}.up.*",
        "h.{i}.mlp.c_proj.*": f"{mlp}.down.*",
        "ln_f.*": f"{names.final}.*",
        "lm_head.weight": of(names.head, "weight"),
    }


def spec(config: Config) -> Written:
    """A pre-norm decoder; of the projections only the last has a bias."""
    dims, norm, feed = sizes(config, learned=True), layer_norm(config), mlp(config)
    window = config.whole("window_size")

    def layer(kind: str) -> Written:
        near = window if kind == "local" else None
        attention = said(**heads(dims), mask="causal", window=near, scale=1.0, bias="o")
        return {"attn": {"attention": attention}, "mlp": feed}

    return decoder(
        config,
        dims,
        embed={"positions": {"learned": "max_len"}},
        defaults=settings(config, norm, bias=True),
        layers=[layer(kind) for kind in _kinds(config, dims["n_layers"])],
        final=norm,
        head=head(config, table="wte.weight"),
    )


def _kinds(config: Config, count: int) -> list[str]:
    """`global` or `local` for each layer: listed, else as rounds with the number of each."""
    listed = config.get("attention_layers")
    rounds = config.get("attention_types")
    if listed is None:
        listed = _expanded(rounds)
    if not isinstance(listed, list) or [kind in KINDS for kind in listed] != [True] * count:
        word = "attention_layers" if "attention_layers" in config else "attention_types"
        config.refuse(word, f"must say `global` or `local` for each of {count} layers")
        return ["global"] * count
    return listed


def _expanded(rounds: Any) -> list[Any]:
    """`[[["global", "local"], 12]]` as 24 kinds; nothing where it is of another form."""
    try:
        pairs = [(list(kinds), min(int(times), MAX_REPEAT)) for kinds, times in rounds]
    except (TypeError, ValueError):
        return []
    return [kind for kinds, times in pairs for kind in kinds * times]


GPT_NEO = Family(
    gpt_neo,
    spec,
    {
        "gpt_neo": ModelType(
            "GPT-Neo (Black et al. 2021): GPT-2 with local attention in every other layer and "
            "scores that nothing scales.",
            {
                "vocab_size": 50257,
                "hidden_size": 2048,
                "num_hidden_layers": 24,
                "num_attention_heads": 16,
                "max_position_embeddings": 2048,
                "attention_types": [[["global", "local"], 12]],
                "window_size": 256,
                "hidden_act": "gelu_new",
                "norm_eps": 1e-5,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="transformer",
)
