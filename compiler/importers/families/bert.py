"""BERT (Devlin et al. 2019): bare, with its pooler or with the head that fills masks."""

from typing import Any

from compiler.importers.config.config import Config
from compiler.importers.config.decoder import layer_norm, mlp
from compiler.importers.config.encoder import Head, bidirectional, encoder, settings, sizes
from compiler.importers.config.written import Written
from compiler.importers.families.family import Family, ModelType, of
from compiler.importers.names import Names

POOLER = "pooler.dense.weight"


def bert(names: Names) -> dict[str, Any]:
    """Rename rules for BERT and what shares its files' names, MiniLM among them.

    Old files call a norm's weight and bias gamma and beta. The second task of pre-training is
    dropped where the first, or a map behind the pooler, is not there.
    """
    predictions = "cls.predictions"
    follows = names.classifier if names.head else ""
    return {
        **body(names),
        f"{predictions}.transform.dense.*": of(names.transform),
        **norm(f"{predictions}.transform.LayerNorm", names.transform_norm),
        **logits(predictions, names.head),
        "cls.seq_relationship.*": of(follows),
    }


def body(names: Names) -> dict[str, Any]:
    """Rules for embeddings, layers and pooler, which RoBERTa's files name alike."""
    embed, attn = names.embed, f"{names.stack}.{{i}}.{names.attention}"
    mlp = f"{names.stack}.{{i}}.{names.mlp}"
    layer = "encoder.layer.{i}"
    return {
        "embeddings.word_embeddings.weight": names.table,
        "embeddings.position_embeddings.weight": names.positions,
        "embeddings.token_type_embeddings.weight": f"{embed}.types.weight",
        **norm("embeddings.LayerNorm", f"{embed}.norm"),
        "embeddings.position_ids": "drop",
        "embeddings.token_type_ids": "drop",
        **maps(layer, attn, mlp),
        **norm(f"{layer}.attention.output.LayerNorm", f"{attn}.post_norm"),
        **norm(f"{layer}.output.LayerNorm", f"{mlp}.post_norm"),
        "pooler.dense.*": of(names.pooler),
    }


def maps(layer: str, attn: str, mlp: str) -> dict[str, Any]:
    """Rules for the maps of a layer, which ESM's files name alike."""
    return {
        f"{layer}.attention.self.query.*": f"{attn}.q.*",
        f"{layer}.attention.self.key.*": f"{attn}.k.*",
        f"{layer}.attention.self.value.*": f"{attn}.v.*",
        f"{layer}.attention.output.dense.*": f"{attn}.o.*",
        f"{layer}.intermediate.dense.*": f"{mlp}.up.*",
        f"{layer}.output.dense.*": f"{mlp}.down.*",
    }


def norm(theirs: str, ours: str) -> dict[str, Any]:
    """Rules for a norm under its new and its old names; without one of ours they drop it."""
    return {
        f"{theirs}.*": of(ours),
        f"{theirs}.gamma": of(ours, "weight"),
        f"{theirs}.beta": of(ours, "bias"),
    }


def logits(theirs: str, ours: str) -> dict[str, Any]:
    """Rules for the logits, whose bias stands beside their map or in it."""
    return {
        f"{theirs}.decoder.weight": of(ours, "weight"),
        f"{theirs}.bias": of(ours, "bias"),
        f"{theirs}.decoder.bias": of(ours, "bias"),
    }


def spec(config: Config) -> Written:
    """A post-norm encoder with learned positions and segment types."""
    head = Head("cls.predictions.decoder.weight", config.activation(), pooler=POOLER)
    return post_norm(config, {"learned": "max_len"}, config.whole("max_position_embeddings"), head)


def post_norm(config: Config, positions: Written, length: int, head: Head) -> Written:
    """BERT with `length` positions of any kind, and any head."""
    bidirectional(config)
    config.only("position_embedding_type", "absolute", "relative positions are not imported")
    norm = layer_norm(config)
    attention = {"attention": {"heads": "n_heads", "mask": "full"}}
    types = config.whole("type_vocab_size")
    return encoder(
        sizes(config, length=length),
        embed={"types": types, "positions": positions, "norm": norm},
        defaults=settings(config, norm, at="post", bias=True),
        layers=[{"attn": attention, "mlp": mlp(config)}] * config.whole("num_hidden_layers"),
        behind=head.nodes(config, norm),
    )


BERT = Family(
    bert,
    spec,
    {
        "bert": ModelType(
            "BERT (Devlin et al. 2019): a post-norm encoder with learned positions and segment "
            "types.",
            {
                "vocab_size": 30522,
                "hidden_size": 768,
                "intermediate_size": 3072,
                "num_hidden_layers": 12,
                "num_attention_heads": 12,
                "max_position_embeddings": 512,
                "type_vocab_size": 2,
                "hidden_act": "gelu",
                "norm_eps": 1e-12,
                "hidden_dropout": 0.1,
                "attention_dropout": 0.1,
                "initializer_range": 0.02,
                "tie_word_embeddings": True,
            },
        )
    },
    prefix="bert",
)
