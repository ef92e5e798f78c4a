"""BART and its like: an encoder whose source is padded, and a decoder that reads it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from tests.families.case import VOCABULARY, Case, Given, Values
from tests.parity.ours import padded

if TYPE_CHECKING:
    from torch import Tensor, nn

BART = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "encoder_layers": 3,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 56,
    "decoder_layers": 3,
    "decoder_attention_heads": 4,
    "decoder_ffn_dim": 56,
    "max_position_embeddings": 64,
    "scale_embedding": True,
}
UNLIKE = {**BART, "decoder_layers": 2, "decoder_attention_heads": 2, "decoder_ffn_dim": 48}
MARIAN = {**BART, "pad_token_id": 96, "decoder_start_token_id": 96, "activation_function": "swish"}


def sentences() -> Given:
    """A source whose last row is padded, and a target that is not."""
    draw = torch.Generator().manual_seed(8)
    mask = padded(3, 11, 7)
    source = torch.randint(2, VOCABULARY, (3, 11), generator=draw)
    target = torch.randint(2, VOCABULARY, (3, 9), generator=draw)
    return Given({"src_ids": source, "src_ids_mask": mask, "tgt_ids": target})


def translated(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """The first thing a published model says: logits, or hidden states where it has no head."""
    mask, target = values["src_ids_mask"].long(), values["tgt_ids"]
    found = theirs(values["src_ids"], attention_mask=mask, decoder_input_ids=target)
    return [found[0]]


@dataclass(frozen=True)
class Biased(Case):
    """A case whose file holds a bias of the logits that is no parameter there."""

    def parameters(self, theirs: "nn.Module") -> int:
        """The number of the published model's parameters and of the bias."""
        biases = (b for n, b in theirs.named_buffers() if n == "final_logits_bias")
        fixed = (p for n, p in theirs.named_parameters() if not p.requires_grad)
        bias = sum(each.numel() for each in biases) - sum(each.numel() for each in fixed)
        return super().parameters(theirs) + bias


def translator(name: str, kind: str, model: str, sizes: Mapping[str, object]) -> Case:
    """A case whose config is of the same kind as its model."""
    return Biased(name, f"{kind}Config", f"{kind}{model}", sizes, sentences, translated)


TWO_TABLES = {
    **MARIAN,
    "share_encoder_decoder_embeddings": False,
    "decoder_vocab_size": 61,
    "pad_token_id": 60,
    "decoder_start_token_id": 60,
}


def of_old(said: dict[str, Any]) -> None:
    """mBART's config with the keys of its first classes, which say what its class does."""
    said |= {"normalize_before": True, "normalize_embedding": True, "add_final_layer_norm": True}
    said |= {"static_position_embeddings": False, "add_bias_logits": False, "num_hidden_layers": 3}


def few() -> Given:
    """The same sentences, the target of a smaller vocabulary."""
    given = sentences()
    return Given({**given.values, "tgt_ids": given.values["tgt_ids"] % 61})


GENERATION = "ForConditionalGeneration"
CASES = [
    translator("bart", "Bart", GENERATION, BART),
    translator("bart-bare", "Bart", "Model", {**BART, "scale_embedding": False}),
    translator("bart-unlike-towers", "Bart", GENERATION, UNLIKE),
    translator("mbart", "MBart", GENERATION, BART),
    translator("mbart-relu", "MBart", "Model", {**UNLIKE, "activation_function": "relu"}),
    translator("marian", "Marian", "MTModel", MARIAN),
    replace(translator("mbart-of-old", "MBart", GENERATION, BART), edit=of_old),
    replace(translator("marian-two-tables", "Marian", "MTModel", TWO_TABLES), given=few),
    translator("pegasus", "Pegasus", GENERATION, {**BART, "activation_function": "relu"}),
]
