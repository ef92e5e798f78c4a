"""DeBERTa-v2 (He et al. 2021) and v3 (He et al. 2023): contents look at distances."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import architecture_of, layer_norm, mlp
from compiler.importers.config.encoder import MASKED, Head, encoder, settings, sizes
from compiler.importers.config.written import Written, said
from compiler.importers.families.bert import logits, norm
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

TERMS = ("c2p", "p2c")


def deberta_v2(names: Names) -> dict[str, Any]:
    """Rename rules for DeBERTa-v2; the heads that v3 was trained with are dropped."""
    embed, attn = names.embed, f"{names.stack}.{{i}}.{names.attention}"
    mlp = f"{names.stack}.{{i}}.{names.mlp}"
    layer, predictions = "encoder.layer.{i}", "cls.predictions"
    own = f"{layer}.attention.self"
    return {
        "embeddings.word_embeddings.weight": names.table,
        "embeddings.position_embeddings.weight": names.positions,
        "embeddings.token_type_embeddings.weight": f"{embed}.types.weight",
        **norm("embeddings.LayerNorm", f"{embed}.norm"),
        "embeddings.position_ids": "drop",
        "encoder.rel_embeddings.weight": f"{names.stack}_bias.weight",
        "encoder.LayerNorm.*": f"{names.stack}_bias_norm.*",
        f"{own}.query_proj.*": f"{attn}.q.*",
        f"{own}.key_proj.*": f"{attn}.k.*",
        f"{own}.value_proj.*": f"{attn}.v.*",
        f"{own}.pos_query_proj.*": f"{attn}.pos_q.*",
        f"{own}.pos_key_proj.*": f"{attn}.pos_k.*",
        f"{layer}.attention.output.dense.*": f"{attn}.o.*",
        **norm(f"{layer}.attention.output.LayerNorm", f"{attn}.post_norm"),
        f"{layer}.intermediate.dense.*": f"{mlp}.up.*",
        f"{layer}.output.dense.*": f"{mlp}.down.*",
        **norm(f"{layer}.output.LayerNorm", f"{mlp}.post_norm"),
        f"{predictions}.transform.dense.*": of(names.transform),
        **norm(f"{predictions}.transform.LayerNorm", names.transform_norm),
        **logits(predictions, names.head),
        "lm_predictions.lm_head.bias": "drop",
        "lm_predictions.lm_head.dense.*": "drop",
        "lm_predictions.lm_head.LayerNorm.*": "drop",
        "mask_predictions.classifier.*": "drop",
        "mask_predictions.dense.*": "drop",
        "mask_predictions.LayerNorm.*": "drop",
        "pooler.dense.*": "drop",
    }


def spec(config: Config) -> Written:
    """A post-norm encoder of distances; absolute positions are added where the config says so."""
    _refuse(config)
    dims, length = _sizes(config)
    behind = layer_norm(config)
    attention = {"heads": "n_heads", "mask": "full", **_distances(config, behind, length)}
    types = config.get("type_vocab_size") or None
    embed = said(
        types=None if types is None else config.whole("type_vocab_size"),
        positions={"learned": "max_len"} if "max_len" in dims else None,
        norm=behind,
        mask_pads=True,
    )
    head = Head("cls.predictions.decoder.weight", config.activation())
    return encoder(
        dims,
        embed=embed,
        defaults=settings(config, behind, at="post", bias=True),
        layers=[{"attn": {"attention": attention}, "mlp": mlp(config)}]
        * config.whole("num_hidden_layers"),
        behind=head.nodes(config, behind),
        longest=None if "max_len" in dims else length,
    )


def _refuse(config: Config) -> None:
    """What only some of these models have, and a spec has no words for."""
    if config.get("conv_kernel_size"):
        config.refuse("conv_kernel_size", "the convolution beside the first layer is not imported")
    width, usual = config.whole("hidden_size"), "only the usual width is imported"
    config.only("embedding_size", width, usual)
    config.only("attention_head_size", width // config.whole("num_attention_heads"), usual)
    if architecture_of(config).endswith(MASKED):
        config.only("legacy", True, "only the head of the first files is imported")
    config.ignore("legacy", "pooler_dropout", "pooler_hidden_act", "pooler_hidden_size")


def _sizes(config: Config) -> tuple[Written, int]:
    """`dims:` and the longest sequence, which a table has where absolute positions are added."""
    length = config.whole("max_position_embeddings")
    absolute = config.flag("position_biased_input", True)
    return sizes(config, length=length if absolute else None), length


def _distances(config: Config, norm: Written, length: int) -> Written:
    """The bias and the factor on the scores; numbers below one stand for what is not there."""
    terms = _terms(config)
    most = config.number("max_relative_positions", -1)
    buckets = config.number("position_buckets", -1)
    shared = config.flag("share_att_key")
    normed = "layer_norm" in str(config.get("norm_rel_ebd", "none")).lower()
    if not config.flag("relative_attention"):
        width = config.whole("hidden_size") // config.whole("num_attention_heads")
        return {"scale": (width * (1 + len(terms))) ** -0.5} if terms else {}
    if not config.get("pos_att_type"):
        config.refuse("pos_att_type", "one of `c2p` and `p2c` is expected, or both")
    bias = said(
        terms=None if len(terms) == len(TERMS) else terms,
        buckets=int(buckets) if buckets > 0 else None,
        max_distance=int(most) if most > 0 else length,
        share_projections=None if shared else False,
        norm=norm if normed else None,
    )
    return {"position_bias": {"disentangled": bias}}


def _terms(config: Config) -> list[str]:
    """`[c2p, p2c]` out of a list or of words with bars between."""
    listed = config.get("pos_att_type") or []
    asked = listed.lower().split("|") if isinstance(listed, str) else listed
    terms = [term for term in TERMS if isinstance(asked, list) and term in asked]
    if not isinstance(asked, list) or len(terms) != len(asked):
        config.refuse("pos_att_type", "some of `c2p` and `p2c` are expected")
    return terms


DEBERTA_V2 = Family(
    deberta_v2,
    spec,
    {
        "deberta-v2": ModelType(
            "DeBERTa-v2 (He et al. 2021) and v3 (He et al. 2023): a post-norm encoder in which "
            "contents look at distances and distances at contents, its embeddings zero at padding.",
            {
                "vocab_size": 128100,
                "hidden_size": 1536,
                "intermediate_size": 6144,
                "num_hidden_layers": 24,
                "num_attention_heads": 24,
                "max_position_embeddings": 512,
                "hidden_act": "gelu",
                "norm_eps": 1e-7,
                "hidden_dropout": 0.1,
                "attention_dropout": 0.1,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="deberta",
    heads=("cls", "lm_predictions", "mask_predictions", "pooler"),
)
