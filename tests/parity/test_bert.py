"""BERT and the sentence vectors of MiniLM against transformers, with padding and token types."""

from pathlib import Path

import pytest
import torch

from compiler.verify.module import shake
from tests.parity.ours import Ours, ours, padded, spec

V, R, L, H, D, M = 97, 40, 3, 4, 32, 56
SIZES = {"d_model": D, "n_layers": L, "n_heads": H, "d_ff": M, "vocab": V, "max_len": R}


@pytest.fixture(scope="module")
def theirs() -> torch.nn.Module:
    import transformers

    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=L,
        num_attention_heads=H,
        intermediate_size=M,
        max_position_embeddings=R,
        attn_implementation="eager",
    )
    made: torch.nn.Module = transformers.BertModel(config).eval()
    shake(made)
    return made


@pytest.fixture(scope="module")
def published(theirs: torch.nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("bert")
    theirs.save_pretrained(folder / "published")  # type: ignore[operator]  # a transformers model
    return folder / "published"


@pytest.fixture(scope="module")
def bert(published: Path) -> Ours:
    return ours(spec("encoder/bert-base.yaml", **SIZES), published, published.parent / "bert")


@pytest.fixture(scope="module")
def minilm(published: Path) -> Ours:
    return ours(spec("encoder/minilm-l6.yaml", **SIZES), published, published.parent / "minilm")


def inputs(batch: int, length: int) -> dict[str, torch.Tensor]:
    draw = torch.Generator().manual_seed(length)
    return {
        "ids": torch.randint(V, (batch, length), generator=draw),
        "ids_mask": padded(batch, length, length - 2),
        "ids_types": torch.randint(2, (batch, length), generator=draw),
    }


def run(theirs: torch.nn.Module, given: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    """Hidden states and the pooler's result."""
    with torch.no_grad():
        found = theirs(
            given["ids"],
            attention_mask=given["ids_mask"].long(),
            token_type_ids=given.get("ids_types"),
        )
    return [found.last_hidden_state, found.pooler_output]


@pytest.mark.parametrize(("batch", "length"), [(1, 5), (2, 13), (3, R)])
def test_hidden_states_and_pooler(
    theirs: torch.nn.Module, bert: Ours, batch: int, length: int
) -> None:
    given = inputs(batch, length)
    bert.agrees(given, run(theirs, given), given["ids_mask"])


def test_token_types_are_zero_where_they_are_left_out(theirs: torch.nn.Module, bert: Ours) -> None:
    given = inputs(2, 7)
    del given["ids_types"]
    bert.agrees(given, run(theirs, given), given["ids_mask"])


@pytest.mark.parametrize(("batch", "length"), [(1, 5), (3, 17)])
def test_sentence_vectors(theirs: torch.nn.Module, minilm: Ours, batch: int, length: int) -> None:
    given = inputs(batch, length)
    hidden, pooled = run(theirs, given)
    real = given["ids_mask"][..., None].float()
    mean = (hidden * real).sum(dim=1) / real.sum(dim=1)
    minilm.agrees(given, [mean, pooled])


def test_both_tasks_of_pre_training(tmp_path: Path) -> None:
    """Masked tokens, and whether the second sentence follows, from one published file."""
    import transformers

    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=L,
        num_attention_heads=H,
        intermediate_size=M,
        max_position_embeddings=R,
        attn_implementation="eager",
    )
    theirs = transformers.BertForPreTraining(config).eval()
    shake(theirs)
    theirs.save_pretrained(tmp_path / "published")
    made = spec("encoder/bert-base-pretraining.yaml", **SIZES)
    mine = ours(made, tmp_path / "published", tmp_path / "built")
    given = inputs(2, 13)
    with torch.no_grad():
        found = theirs(
            given["ids"],
            attention_mask=given["ids_mask"].long(),
            token_type_ids=given["ids_types"],
        )
    wanted = [found.prediction_logits, found.seq_relationship_logits]
    mine.agrees(given, wanted, given["ids_mask"])
