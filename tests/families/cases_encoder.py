"""Encoders: bare, with poolers, and with the head that fills masks."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from tests.families.case import VOCABULARY, Case, Given, Values
from tests.parity.ours import padded

if TYPE_CHECKING:
    from torch import Tensor, nn

PAD = 1
BERT = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 56,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
}


def tokens() -> Given:
    """Token ids whose last row is padded at its end, with the id of padding there."""
    draw = torch.Generator().manual_seed(5)
    mask = padded(3, 13, 9)
    ids = torch.randint(5, VOCABULARY, (3, 13), generator=draw)
    return Given({"ids": ids.masked_fill(~mask, PAD), "ids_mask": mask}, mask)


def typed() -> Given:
    """The same, of two segments."""
    given = tokens()
    types = torch.randint(2, (3, 13), generator=torch.Generator().manual_seed(6))
    return Given({**given.values, "ids_types": types}, given.real)


def run(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """Everything that a published encoder says, in its order."""
    more = {"token_type_ids": values["ids_types"]} if "ids_types" in values else {}
    found = theirs(values["ids"], attention_mask=values["ids_mask"].long(), **more)
    return [each for each in found.to_tuple() if each is not None]


def encoder(
    name: str, kind: str, model: str, sizes: Mapping[str, object], *, types: bool = False
) -> Case:
    """A case whose config is of the same kind as its model."""
    given = typed if types else tokens
    return Case(name, f"{kind}Config", f"{kind}{model}", sizes, given, run)


ROBERTA = {**BERT, "pad_token_id": PAD, "max_position_embeddings": 66, "layer_norm_eps": 1e-5}
DISTIL = {
    "vocab_size": VOCABULARY,
    "dim": 32,
    "hidden_dim": 56,
    "n_layers": 3,
    "n_heads": 4,
    "max_position_embeddings": 64,
}
ALBERT = {**BERT, "embedding_size": 16}
ESM = {**BERT, "pad_token_id": PAD, "mask_token_id": 3, "position_embedding_type": "rotary"}
ESM_1 = {**ESM, "position_embedding_type": "absolute", "emb_layer_norm_before": True}
MODERN = {**BERT, "num_hidden_layers": 5, "local_attention": 8, "pad_token_id": PAD}
MODERN_BIASES = {
    "attention_bias": True,
    "mlp_bias": True,
    "norm_bias": True,
    "classifier_bias": True,
    "decoder_bias": False,
}


def esm(name: str, model: str, sizes: Mapping[str, object]) -> Case:
    """A case without the regression of contacts."""
    return replace(encoder(name, "Esm", model, sizes), dropped="contact_head")


def before_5(said: dict[str, Any]) -> None:
    """ModernBERT's config as transformers 4 wrote it: two bases and a period."""
    del said["layer_types"], said["rope_parameters"]
    said |= {"global_rope_theta": 160000.0, "local_rope_theta": 10000.0}
    said |= {"global_attn_every_n_layers": 3, "position_embedding_type": "absolute"}


CASES = [
    encoder("bert", "Bert", "Model", BERT, types=True),
    encoder("bert-masked", "Bert", "ForMaskedLM", BERT, types=True),
    encoder(
        "bert-relu", "Bert", "ForMaskedLM", {**BERT, "hidden_act": "relu", "type_vocab_size": 3}
    ),
    encoder("roberta", "Roberta", "Model", ROBERTA),
    encoder("roberta-masked", "Roberta", "ForMaskedLM", {**ROBERTA, "type_vocab_size": 1}),
    encoder("xlm-roberta", "XLMRoberta", "ForMaskedLM", {**ROBERTA, "type_vocab_size": 1}),
    encoder("camembert", "Camembert", "Model", ROBERTA),
    encoder("distilbert", "DistilBert", "Model", DISTIL),
    encoder("distilbert-masked", "DistilBert", "ForMaskedLM", DISTIL),
    encoder("albert", "Albert", "Model", ALBERT, types=True),
    encoder("albert-masked", "Albert", "ForMaskedLM", ALBERT, types=True),
    esm("esm", "Model", ESM),
    esm("esm-masked", "ForMaskedLM", {**ESM, "token_dropout": True}),
    esm("esm-1b", "ForMaskedLM", {**ESM_1, "token_dropout": True}),
    encoder("nomic-bert", "NomicBert", "Model", BERT, types=True),
    encoder("nomic-bert-masked", "NomicBert", "ForMaskedLM", BERT, types=True),
    encoder("modernbert", "ModernBert", "Model", MODERN),
    encoder("modernbert-two-layers", "ModernBert", "Model", {**MODERN, "num_hidden_layers": 2}),
    encoder("modernbert-masked", "ModernBert", "ForMaskedLM", MODERN),
    encoder("modernbert-biases", "ModernBert", "ForMaskedLM", {**MODERN, **MODERN_BIASES}),
    replace(encoder("modernbert-4", "ModernBert", "ForMaskedLM", MODERN), edit=before_5),
]
