"""Models whose positions are biases of their scores."""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import torch

from tests.families.case import VOCABULARY, Case, Given, Values, logits
from tests.families.cases_dense import dense
from tests.families.cases_encoder import encoder
from tests.families.cases_image import HEAD, VIT, image
from tests.parity.ours import padded

if TYPE_CHECKING:
    from torch import Tensor, nn

SIZES = {"vocab_size": 97, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
MPT = {"vocab_size": 97, "d_model": 32, "n_layers": 3, "n_heads": 4, "max_seq_len": 64}
FALCON = {**SIZES, "max_position_embeddings": 64}
NEW = {**FALCON, "new_decoder_architecture": True, "num_kv_heads": 2}
T5 = {
    "vocab_size": 97,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 48,
    "num_layers": 3,
    "num_heads": 3,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 20,
}
DEBERTA = {
    **SIZES,
    "intermediate_size": 56,
    "max_position_embeddings": 64,
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
}
V3 = {
    **DEBERTA,
    "position_biased_input": False,
    "position_buckets": 8,
    "max_relative_positions": 20,
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
}
GATED = {"feed_forward_proj": "gated-gelu"}
RW = {"alibi": True, "multi_query": False, "parallel_attn": False, "bias": True}


def falcon(name: str, **more: object) -> Case:
    """A Falcon with fused attention: unfused, transformers 5.24 adds ALiBi twice."""
    return Case(name, "FalconConfig", "FalconForCausalLM", {**FALCON, **more}, kernel="sdpa")


def with_its_slopes(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """MPT with the slopes of its config, as MosaicML's own code has them: transformers 5.24 makes
    those of `alibi_bias_max: 8` whatever the config says."""
    body: Any = theirs.get_submodule("transformer")
    slopes, most = body.build_mpt_alibi_tensor, body.config.attn_config.alibi_bias_max
    body.build_mpt_alibi_tensor = partial(slopes, alibi_bias_max=most)
    return logits(theirs, values)


def sentences(batch: int = 3, source: int = 11, target: int = 13) -> Given:
    """A padded source and a target of another length."""
    draw = torch.Generator().manual_seed(source)
    mask = padded(batch, source, source - 4)
    src = torch.randint(2, VOCABULARY, (batch, source), generator=draw)
    tgt = torch.randint(2, VOCABULARY, (batch, target), generator=draw)
    return Given({"src_ids": src, "src_ids_mask": mask, "tgt_ids": tgt})


def translated(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """Logits of the target after the source."""
    mask = values["src_ids_mask"].long()
    found = theirs(values["src_ids"], attention_mask=mask, decoder_input_ids=values["tgt_ids"])
    return [found.logits]


def decoded(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """What the decoder of a bare model says."""
    mask = values["src_ids_mask"].long()
    found = theirs(values["src_ids"], attention_mask=mask, decoder_input_ids=values["tgt_ids"])
    return [found.last_hidden_state]


def source_alone() -> Given:
    """A padded source."""
    values = dict(sentences().values)
    del values["tgt_ids"]
    return Given(values, values["src_ids_mask"])


def encoded(theirs: "nn.Module", values: Values) -> "list[Tensor]":
    """What an encoder says."""
    found = theirs(values["src_ids"], attention_mask=values["src_ids_mask"].long())
    return [found.last_hidden_state]


@dataclass(frozen=True)
class Untied(Case):
    """A model whose head is a matrix of its own, as published: transformers 5.24 ties it whatever
    its config says, and saves what is loaded by others as tied."""

    def theirs(self) -> "nn.Module":
        made: Any = super().theirs()
        head = made.lm_head.weight.detach()
        made.lm_head.weight = torch.nn.Parameter(torch.randn_like(head) * 0.1)
        return cast("nn.Module", made)


def as_of_v4(said: dict[str, Any]) -> None:
    """A config of a model with a head of its own, before transformers 5."""
    for word in ("scale_decoder_outputs", "dense_act_fn", "is_gated_act"):
        said.pop(word, None)
    said["tie_word_embeddings"] = False


CASES = [
    dense("bloom", "Bloom", SIZES),
    dense("bloom-six-heads", "Bloom", {**SIZES, "hidden_size": 48, "num_attention_heads": 6}),
    dense("mpt", "Mpt", MPT),
    replace(
        dense(
            "mpt-steeper",
            "Mpt",
            {**MPT, "d_model": 48, "n_heads": 6},
            attn_config={"clip_qkv": 1.0, "alibi_bias_max": 16, "softmax_scale": 0.25},
        ),
        wanted=with_its_slopes,
    ),
    dense("falcon-7b", "Falcon", FALCON),
    falcon("falcon-40b", **NEW),
    falcon("falcon-11b", **NEW, num_ln_in_parallel_attn=1, ffn_hidden_size=80),
    falcon("falcon-rw", **RW),
    falcon("falcon-shared-keys-in-turn", parallel_attn=False, alibi=True),
    Case("t5", "T5Config", "T5ForConditionalGeneration", T5, sentences, translated),
    Untied(
        "t5-1.1",
        "T5Config",
        "T5ForConditionalGeneration",
        {**T5, "num_decoder_layers": 2, "tie_word_embeddings": False, **GATED},
        sentences,
        translated,
        as_of_v4,
    ),
    Untied(
        "mt5", "MT5Config", "MT5ForConditionalGeneration", {**T5, **GATED}, sentences, translated
    ),
    Case(
        "umt5",
        "UMT5Config",
        "UMT5ForConditionalGeneration",
        {**T5, **GATED},
        sentences,
        translated,
    ),
    Case("t5-bare", "T5Config", "T5Model", T5, sentences, decoded),
    Case("t5-encoder", "T5Config", "T5EncoderModel", T5, source_alone, encoded),
    image("beit", "Beit", "Model", {**VIT, "use_relative_position_bias": True}),
    image("beit-shared", "Beit", "Model", {**VIT, "use_shared_relative_position_bias": True}),
    image(
        "beit-absolute",
        "Beit",
        "Model",
        {
            **VIT,
            "use_absolute_position_embeddings": True,
            "use_mean_pooling": False,
            "layer_scale_init_value": 0.0,
        },
    ),
    image(
        "beit-classes",
        "Beit",
        HEAD,
        {
            **VIT,
            "use_relative_position_bias": True,
            "num_labels": 5,
        },
    ),
    encoder("deberta-v2", "DebertaV2", "Model", {**DEBERTA, "type_vocab_size": 2}, types=True),
    encoder("deberta-one-term", "DebertaV2", "Model", {**DEBERTA, "pos_att_type": "c2p"}),
    encoder("deberta-absolute", "DebertaV2", "Model", {**DEBERTA, "relative_attention": False}),
    encoder("deberta-v3", "DebertaV2", "Model", V3),
    encoder("deberta-fills-masks", "DebertaV2", "ForMaskedLM", V3),
]
