"""The parts behind an encoder's layers: by architecture, and by the tensors that are there."""

from typing import Any

import pytest

from compiler.importers.config.encoder import Head, bidirectional
from compiler.importers.config.tensors import Tensors
from tests.importers.config.reading import codes, reading
from tests.importers.samples import counted, held

NORM = {"layer": 1e-12}
HEAD = Head("cls.decoder.weight", "gelu", pooler="pooler.weight")
TABLE = "embeddings.word_embeddings.weight"


def nodes(architecture: str, *tensors: str, head: Head = HEAD, **said: Any) -> tuple[Any, Any]:
    config, report = reading({"architectures": [architecture], **said})
    config.tensors = Tensors(held({name: counted(2, 2) for name in tensors}))
    found = head.nodes(config, NORM)
    config.report_unread()
    return found, codes(report)


def test_a_bare_model_has_its_pooler_unless_the_weights_lack_it() -> None:
    linear = {"dim": "d_model", "act": "tanh"}
    pooled = {"first": {"pool": "first"}, "pooler": {"linear": linear}}
    assert nodes("BertModel", tie_word_embeddings=True) == (pooled, [])
    assert nodes("BertModel", TABLE, "pooler.weight")[0] == pooled
    assert nodes("BertModel", TABLE)[0] == {}
    assert nodes("BertModel", head=Head("x", "gelu"))[0] == {}
    assert nodes("BertModel", head=Head("x", "gelu", pooler="p", pooled=False))[0] == {}


def test_a_model_that_fills_masks_has_no_pooler() -> None:
    found, problems = nodes("BertForMaskedLM", TABLE, "pooler.weight", tie_word_embeddings=True)
    assert problems == []
    assert found == {
        "transform": {"linear": {"dim": "d_model", "act": "gelu"}},
        "transform_norm": {"norm": NORM},
        "logits": {"unembed": {"tie": "tok", "bias": True}},
    }


def test_a_head_with_a_table_of_its_own_and_without_biases() -> None:
    head = Head("decoder.weight", "relu", width="d_embed", bias=False, logits_bias=False)
    found, _ = nodes("XForMaskedLM", head=head, tie_word_embeddings=False)
    assert found["transform"] == {"linear": {"dim": "d_embed", "act": "relu", "bias": False}}
    assert found["logits"] == {"unembed": {"vocab": "vocab"}}


@pytest.mark.parametrize("kind", ["BertForSequenceClassification", "BertForPreTraining"])
def test_other_heads_are_refused(kind: str) -> None:
    assert nodes(kind)[1] == ["AR0723"]


@pytest.mark.parametrize("word", ["is_decoder", "add_cross_attention"])
def test_decoders_are_refused(word: str) -> None:
    config, report = reading({word: True})
    bidirectional(config)
    assert codes(report) == ["AR0723"]
