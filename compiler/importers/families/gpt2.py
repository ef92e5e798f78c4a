"""GPT-2 (Radford et al. 2019); its files hold matrices [in, out], and q, k and v as one."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import decoder, head, heads, layer_norm, mlp, settings, sizes
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names


def gpt2(names: Names) -> dict[str, Any]:
    """Rename rules for GPT-2; the prefix `transformer.`, which older files lack, is left out."""
    attn, mlp = (f"{names.stack}.{{i}}.{part}" for part in (names.attention, names.mlp))
    return {
        "wte.weight": names.table,
        "wpe.weight": names.positions,
        "h.{i}.ln_1.*": f"{attn}.norm.*",
        "h.{i}.attn.c_attn.*": {
            "to": [f"{attn}.q.*", f"{attn}.k.*", f"{attn}.v.*"],
            "op": ["transpose", "split"],
        },
        "h.{i}.attn.c_proj.*": {"to": f"{attn}.o.*", "op": "transpose"},
        "h.{i}.ln_2.*": f"{mlp}.norm.*",
        "h.{i}.mlp.c_fc.*": {"to": f"{mlp}.up.*", "op": "transpose"},
        "h.{i}.mlp.c_proj.*": {"to": f"{mlp}.down.*", "op": "transpose"},
        "ln_f.*": f"{names.final}.*",
        "lm_head.weight": of(names.head, "weight"),
        "h.{i}.attn.bias": "drop",
        "h.{i}.attn.masked_bias": "drop",
    }


def spec(config: Config) -> Written:
    """A pre-norm decoder with learned positions and biases everywhere."""
    dims = sizes(config, learned=True)
    norm = layer_norm(config)
    feed = mlp(config)

    def layer(index: int) -> Written:
        attention = said(**heads(dims), mask="causal", scale=_scale(config, dims, index))
        return {"attn": {"attention": attention}, "mlp": feed}

    return decoder(
        config,
        dims,
        embed={"positions": {"learned": "max_len"}},
        defaults=deep(settings(config, norm, bias=True)),
        layers=[layer(index) for index in range(dims["n_layers"])],
        final=norm,
        head=head(config, table="wte.weight"),
    )


def deep(defaults: Written) -> Written:
    """`defaults:` whose residual maps begin smaller the deeper the model is (section 2.3)."""
    if "init" not in defaults:
        return defaults
    return {**defaults, "init": {**defaults["init"], "residual": "depth_scaled"}}


def _scale(config: Config, dims: Written, index: int) -> float | None:
    """The factor on the scores where it is not the usual one."""
    usual = (dims["d_model"] / dims["n_heads"]) ** -0.5
    scale = usual if config.flag("scale_attn_weights", True) else 1.0
    if config.flag("scale_attn_by_inverse_layer_idx"):
        scale /= index + 1
    return None if scale == usual else scale


GPT2 = Family(
    gpt2,
    spec,
    {
        "gpt2": ModelType(
            "GPT-2 (Radford et al. 2019): a pre-norm decoder with learned positions, biases "
            "everywhere and an output table tied to the embedding.",
            {
                "vocab_size": 50257,
                "hidden_size": 768,
                "num_hidden_layers": 12,
                "num_attention_heads": 12,
                "max_position_embeddings": 1024,
                "hidden_act": "gelu_new",
                "norm_eps": 1e-5,
                "hidden_dropout": 0.1,
                "attention_dropout": 0.1,
                "embedding_dropout": 0.1,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="transformer",
)
