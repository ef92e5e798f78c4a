"""T5 (Raffel et al. 2020), its version 1.1 as in Flan-T5, mT5 and umT5: biases for buckets of
distances, scores without a factor."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import (
    architecture_of,
    heads,
    refuse_class,
    rms,
    settings,
    sizes,
)
from compiler.importers.config.pattern import stack
from compiler.importers.config.translator import either
from compiler.importers.config.written import Written, said
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

TABLE, HEAD = "shared.weight", "lm_head.weight"
HEADS = ("tie_word_embeddings", "scale_decoder_outputs")
BIAS = "SelfAttention.relative_attention_bias.weight"


def t5(names: Names) -> dict[str, Any]:
    """Rename rules for T5: a layer is a list of steps, and the first one of a stack has its
    table."""
    towers = {"encoder": names, "decoder": names.decoder}
    tables = {
        f"{side}.block.0.layer.0.{BIAS}": f"{tower.stack}_bias.weight"
        for side, tower in towers.items()
        if tower is not None
    }
    return {**tables, **_rules(names)}


def umt5(names: Names) -> dict[str, Any]:
    """Rename rules for umT5, whose layers have a table each."""
    towers = {"encoder": names, "decoder": names.decoder}
    tables = {
        f"{side}.block.{{i}}.layer.0.{BIAS}": f"{tower.stack}.{{i}}.{tower.attention}.bias.weight"
        for side, tower in towers.items()
        if tower is not None
    }
    return {**tables, **_rules(names)}


def _rules(names: Names) -> dict[str, Any]:
    """What all of them call alike."""
    return {
        TABLE: names.table,
        "encoder.embed_tokens.weight": "drop",
        "decoder.embed_tokens.weight": "drop",
        **_tower(names, "encoder"),
        **(_tower(names.decoder, "decoder") if names.decoder else {}),
        HEAD: of(names.head, "weight"),
    }


def _tower(names: Names, side: str) -> dict[str, Any]:
    block, layer = f"{side}.block", f"{names.stack}.{{i}}"
    attn, mlp = f"{layer}.{names.attention}", f"{layer}.{names.mlp}"
    found: dict[str, Any] = {
        **_step(f"{block}.{{i}}.layer.0", "SelfAttention", attn, "qkvo"),
        f"{side}.final_layer_norm.weight": f"{names.final}.weight",
    }
    last = 1
    if names.cross:
        last = 2
        found["decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"] = "drop"
        cross = f"{layer}.{names.cross}"
        found |= _step(f"{block}.{{i}}.layer.1", "EncDecAttention", cross, "qkvo")
    feed = f"{block}.{{i}}.layer.{last}"
    wide = {"wi_0": "gate", "wi_1": "up"} if names.gated else {"wi": "up"}
    return {
        **found,
        f"{feed}.layer_norm.weight": f"{mlp}.norm.weight",
        **{
            f"{feed}.DenseReluDense.{theirs}.weight": f"{mlp}.{ours}.weight"
            for theirs, ours in {**wide, "wo": "down"}.items()
        },
    }


def _step(step: str, word: str, attention: str, letters: str) -> dict[str, Any]:
    maps = {f"{step}.{word}.{n}.weight": f"{attention}.{n}.weight" for n in letters}
    return {f"{step}.layer_norm.weight": f"{attention}.norm.weight", **maps}


def spec(config: Config, per: str = "stack") -> Written:
    """An encoder and its decoder, or the encoder alone; tables of biases are one `per` stack or
    one per layer."""
    config.only("is_decoder", False, "a decoder without its encoder is not imported")
    config.ignore("initializer_factor", "output_past")
    alone = architecture_of(config).endswith("EncoderModel")
    if alone:
        config.ignore("is_encoder_decoder", "num_decoder_layers", *HEADS)
    else:
        config.only("is_encoder_decoder", True, "only an encoder with its decoder is imported")
    dims, norm, feed = sizes(config), rms(config), _mlp(config)
    own = {**heads(dims), "scale": 1}
    bias = {"position_bias": {"t5": _buckets(config, per)}}
    encoder = {"self": {"attention": {**own, **bias}}, "mlp": feed}
    longest = config.whole("max_position_embeddings")
    inputs: Written = {"src_ids": {"tokens": {"max": longest, "padded": True}}}
    graph: Written = {
        "src": {"embed": {"vocab": "vocab", "dim": "d_model"}, "in": "src_ids"},
        "enc": {"stack": stack([encoder] * dims["n_layers"], "n_layers")},
        "memory": {"norm": norm},
    }
    if not alone:
        decoder = {
            "self": {"attention": {**own, "mask": "causal", **bias}},
            "cross": {"attention": {**own, "source": "memory"}},
            "mlp": feed,
        }
        layers = config.optional("num_decoder_layers") or dims["n_layers"]
        dims |= {"n_dec_layers": layers} if layers != dims["n_layers"] else {}
        inputs["tgt_ids"] = {"tokens": {"max": longest}}
        graph |= {
            "tgt": {"embed": {"share": "src"}, "in": "tgt_ids"},
            "dec": {"stack": stack([decoder] * layers, either(dims, "n_dec_layers", "n_layers"))},
            "final": {"norm": norm},
        }
        head = _head(config)
        graph |= {} if head is None else {"logits": {"unembed": head}}
    return {"dims": dims, "inputs": inputs, "defaults": _settings(config, norm), "graph": graph}


def by_layer(config: Config) -> Written:
    """umT5: every layer has a table of its own."""
    return spec(config, "layer")


def _buckets(config: Config, per: str) -> Written:
    return said(
        buckets=config.whole("relative_attention_num_buckets"),
        max_distance=config.whole("relative_attention_max_distance"),
        per=per if per != "stack" else None,
    )


def _settings(config: Config, norm: Written) -> Written:
    """One rate drops what sub-layers, attention, mlps and embeddings give."""
    found, rate = settings(config, norm), config.number("hidden_dropout", 0.0)
    if rate:
        found["dropout"] = dict.fromkeys(("residual", "attention", "hidden", "embed"), rate)
    return found


def _mlp(config: Config) -> Written:
    """`feed_forward_proj` in our words: `gated-gelu` has always meant the tanh form.

    Two other keys repeat what it says.
    """
    gated = {
        "gated-gelu": "gelu_tanh",
        "gated-gelu_new": "gelu_tanh",
        "gated-silu": "silu",
        "gated-relu": "relu",
    }
    plain = {"relu": "relu", "gelu": "gelu", "gelu_new": "gelu_tanh", "silu": "silu"}
    act = config.choice("feed_forward_proj", {**plain, **gated})
    said_act = str(config.get("feed_forward_proj"))
    is_gated, repeated = said_act.startswith("gated-"), said_act.removeprefix("gated-")
    why = "`feed_forward_proj` says the other"
    config.only("is_gated_act", is_gated, why)
    config.only("dense_act_fn", "gelu_new" if said_act == "gated-gelu" else repeated, why)
    return {"mlp": said(hidden="d_ff", act=act, gated=is_gated or None)}


def _head(config: Config) -> Written | None:
    """Logits: of the table, scaled by its width, or of a matrix of their own.

    The first T5 ties and scales, 1.1 and mT5 do neither; files say so by `tie_word_embeddings`,
    those of transformers 5, which ties whatever it reads, by `scale_decoder_outputs`. Weights that
    are there decide about the tie.
    """
    architecture = architecture_of(config)
    if architecture.endswith("T5Model"):
        config.ignore(*HEADS)
        return None
    if architecture and not architecture.endswith(("ForConditionalGeneration", "LMHeadModel")):
        refuse_class(config, "only translation models and bare models are imported")
    first = config.flag("scale_decoder_outputs", config.flag("tie_word_embeddings"))
    found = config.tensors.tied(TABLE, HEAD)
    tied = first and config.flag("tie_word_embeddings") if found is None else found
    return said(
        tie="src" if tied else None,
        vocab=None if tied else "vocab",
        in_scale="d_model**-0.5" if first else None,
    )


SHARED = {
    "num_attention_heads": 8,
    "hidden_size": 512,
    "head_dim": 64,
    "max_position_embeddings": 512,
    "relative_attention_num_buckets": 32,
    "relative_attention_max_distance": 128,
    "hidden_dropout": 0.1,
    "norm_eps": 1e-6,
    "is_encoder_decoder": True,
}
T5 = Family(
    t5,
    spec,
    {
        "t5": ModelType(
            "T5 (Raffel et al. 2020): an encoder and a decoder whose positions are learned biases "
            "of their scores, one table for each stack; scores have no factor, norms no bias.",
            {
                **SHARED,
                "vocab_size": 32128,
                "intermediate_size": 2048,
                "num_hidden_layers": 6,
                "feed_forward_proj": "relu",
                "tie_word_embeddings": True,
            },
        ),
        "mt5": ModelType(
            "mT5 (Xue et al. 2021): T5 1.1 for a hundred languages, with a gated mlp and a head of "
            "its own.",
            {
                **SHARED,
                "vocab_size": 250112,
                "intermediate_size": 1024,
                "num_hidden_layers": 8,
                "num_attention_heads": 6,
                "feed_forward_proj": "gated-gelu",
                "tie_word_embeddings": True,
                "scale_decoder_outputs": False,
            },
        ),
    },
)
UMT5 = Family(
    umt5,
    by_layer,
    {
        "umt5": ModelType(
            "umT5 (Chung et al. 2023): mT5 whose layers have a table of biases each.",
            {
                **SHARED,
                "vocab_size": 250112,
                "intermediate_size": 1024,
                "num_hidden_layers": 8,
                "num_attention_heads": 6,
                "feed_forward_proj": "gated-gelu",
                "tie_word_embeddings": True,
            },
        )
    },
)
