"""The main job on real input: published MiniLM as ONNX and as source against transformers."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import BertModel

from archspec.source.diagnostic import SpecError
from tests.real.conftest import Array, Model, Vectors, build_into

PARAMETERS = 22_713_216
COSINE = 1 - 1e-6
POSITION_IDS = "embeddings.position_ids"


@pytest.fixture(scope="module")
def expected(oracle: BertModel, batch: dict[str, torch.Tensor]) -> Vectors:
    """Masked mean pooling and the pooler of transformers, computed in double precision."""
    real = batch["ids_mask"]
    with torch.no_grad():
        found = oracle.double()(input_ids=batch["ids"], attention_mask=real.long())
    hidden = found.last_hidden_state * real[..., None]
    mean = hidden.sum(1) / real.sum(1, keepdim=True)
    return Vectors(mean.float().numpy(), found.pooler_output.float().numpy())


def cosines(left: Array, right: Array) -> Array:
    """Of each row of one with the same row of the other."""
    one, other = left.astype(np.float64), right.astype(np.float64)
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray((one * other).sum(1) / lengths)


def agree(found: Vectors, expected: Vectors) -> None:
    assert found.sentence.shape == found.pooler.shape == expected.sentence.shape == (20, 384)
    assert cosines(found.sentence, expected.sentence).min() >= COSINE
    assert cosines(found.pooler, expected.pooler).min() >= COSINE
    np.testing.assert_allclose(found.sentence, expected.sentence, atol=1e-5)
    np.testing.assert_allclose(found.pooler, expected.pooler, atol=1e-5)


def test_the_batch_is_a_hard_one(batch: dict[str, torch.Tensor], expected: Vectors) -> None:
    """Lengths from a few tokens to hundreds, and vectors that a mistake could not make alike."""
    lengths = batch["ids_mask"].sum(1)
    assert lengths.min() <= 4
    assert lengths.max() >= 200
    assert len(set(lengths.tolist())) >= 10
    for shift in range(1, 20):
        assert cosines(expected.sentence, np.roll(expected.sentence, shift, axis=0)).max() < 0.99


def test_onnx_gives_the_published_embeddings(
    model: Model, batch: dict[str, torch.Tensor], expected: Vectors
) -> None:
    agree(model.by_onnx(batch), expected)


def test_source_gives_the_published_embeddings(
    model: Model, batch: dict[str, torch.Tensor], expected: Vectors
) -> None:
    module = model.module()
    module.load_state_dict(load_file(model.folder / "model.safetensors"), strict=True)
    agree(model.by_torch(module, batch), expected)


def test_a_sentence_has_the_same_vector_alone_and_among_others(
    model: Model, batch: dict[str, torch.Tensor]
) -> None:
    together = model.by_onnx(batch).sentence
    for row in (0, 2, 18):
        length = int(batch["ids_mask"][row].sum())
        alone = model.by_onnx({name: each[row, None, :length] for name, each in batch.items()})
        np.testing.assert_allclose(alone.sentence[0], together[row], atol=1e-5)


def test_parameters_are_those_published(model: Model, published: Path) -> None:
    """`position_ids`, a buffer of whole numbers, is in the file and no parameter."""
    theirs = load_file(published / "model.safetensors")
    assert theirs[POSITION_IDS].dtype == torch.int64
    counted = sum(each.numel() for name, each in theirs.items() if name != POSITION_IDS)
    assert counted == PARAMETERS
    assert model.built.totals["parameters"] == PARAMETERS
    assert sum(each.numel() for each in model.module().parameters()) == PARAMETERS
    ours = load_file(model.folder / "model.safetensors")
    assert sum(each.numel() for each in ours.values()) == PARAMETERS
    assert all(each.dtype == torch.float32 for each in ours.values())


def test_position_ids_are_dropped_by_rule_and_nothing_else_is(
    published: Path, model: Model, tmp_path: Path
) -> None:
    """Without them the same files come out; another stranger in the file is refused."""
    tensors = load_file(published / "model.safetensors")
    del tensors[POSITION_IDS]
    save_file(tensors, tmp_path / "without.safetensors")
    again = build_into(tmp_path / "again", tmp_path / "without.safetensors")
    for name in ("model.onnx", "model.onnx.data", "model.safetensors"):
        assert (again.folder / name).read_bytes() == (model.folder / name).read_bytes()
    tensors["embeddings.positions_ids"] = torch.arange(512)
    save_file(tensors, tmp_path / "stranger.safetensors")
    with pytest.raises(SpecError, match="positions_ids"):
        build_into(tmp_path / "refused", tmp_path / "stranger.safetensors")
    assert not (tmp_path / "refused").exists()


def test_what_was_trained_a_step_further_builds(
    model: Model, batch: dict[str, torch.Tensor], expected: Vectors, tmp_path: Path
) -> None:
    """Published weights, a step of training in `model.py`, its state dict, and ONNX again."""
    trained = model.module()
    trained.load_state_dict(load_file(model.folder / "model.safetensors"), strict=True)
    optimizer = torch.optim.SGD(trained.train().parameters(), lr=0.1)
    torch.manual_seed(0)
    few = {name: each[:8, :24] for name, each in batch.items()}
    sentence, pooler = trained(few["ids"], few["ids_mask"])
    (sentence.square().mean() + pooler.square().mean()).backward()
    assert all(each.grad is not None for each in trained.parameters())
    optimizer.step()
    save_file(trained.state_dict(), tmp_path / "trained.safetensors")

    again = build_into(tmp_path / "built", tmp_path / "trained.safetensors")
    by_onnx, by_torch = again.by_onnx(batch), again.by_torch(trained, batch)
    np.testing.assert_allclose(by_onnx.sentence, by_torch.sentence, atol=1e-5)
    np.testing.assert_allclose(by_onnx.pooler, by_torch.pooler, atol=1e-5)
    assert np.abs(by_torch.sentence - expected.sentence).max() > 1e-3
