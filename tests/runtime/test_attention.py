"""Which labels rows and columns get: two sequences, steps of a recurrence, patches of an image."""

import json
from pathlib import Path

import numpy as np
import pytest

from compiler.answer import CannotAnswer
from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.report.attention_map import Attended, Patches
from compiler.report.attention_page import attention_page
from compiler.runtime import attention
from compiler.runtime.attention import attend
from compiler.runtime.request import Request
from tests.verify.models import decoder

SPECS = Path(__file__).parents[2] / "specs"
SMALL = ("d_model=32", "n_layers=2", "n_heads=2", "d_ff=24")


def built(name: str, folder: Path, *settings: str) -> Path:
    build(str(SPECS / name), set=settings, out=str(folder))
    return folder / Path(name).with_suffix("")


def labels(found: Attended) -> dict[str, tuple[str, str]]:
    return {m.place: (" ".join(m.queries), " ".join(m.sources)) for m in found.maps}


def test_each_sequence_names_its_own_side(tmp_path: Path) -> None:
    folder = built("encoder-decoder/transformer-base.yaml", tmp_path, "vocab=37", *SMALL)
    found = attend(folder, Request(ids=("src_ids=1,2,3", "tgt_ids=7,8,9")), layer="1")
    assert labels(found) == {
        "memory.1.self": ("1 2 3", "1 2 3"),
        "dec.1.self": ("7 8 9", "7 8 9"),
        "dec.1.cross": ("7 8 9", "1 2 3"),
    }


def test_a_recurrence_has_a_row_for_each_step(tmp_path: Path) -> None:
    sizes = ("src_vocab=30", "tgt_vocab=30", "d_emb=8", "d_h=8", "d_att=8")
    folder = built("history/02-bahdanau-zeros.yaml", tmp_path, *sizes)
    ids = np.array([[1, 2, 3, 0, 0]])
    arrays = tmp_path / "given.npz"
    np.savez(arrays, src_ids=ids, src_ids_mask=ids > 0, tgt_ids=np.array([[4, 5]]))
    found = attend(folder, Request(arrays=arrays))
    assert labels(found) == {"dec": ("4 5", "1 2 3 0 0")}
    (weights,) = found.maps[0].weights
    assert not weights[:, 3:].any()
    assert np.allclose(weights.sum(axis=1), 1)
    assert found.apart < 1e-5


@pytest.mark.parametrize("target", [Target(), Target("cpu")], ids=lambda each: each.provider)
def test_a_decoder_is_compared_where_each_row_ends(tmp_path: Path, target: Target) -> None:
    spec, arrays = tmp_path / "padded.yaml", tmp_path / "given.npz"
    tree = {**decoder(), "inputs": {"ids": {"tokens": {"padded": True}}}}
    tree["graph"]["h"]["stack"]["layer"]["attn"]["attention"]["head_dim"] = 8
    spec.write_text(json.dumps(tree))
    build(str(spec), out=str(tmp_path), target=target)
    ids = np.arange(10).reshape(2, 5)
    np.savez(arrays, ids=ids, ids_mask=ids < 8)
    found = attend(tmp_path / "padded", Request(arrays=arrays))
    assert found.apart < 1e-5


@pytest.fixture(scope="module")
def vit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small ViT over 3 by 3 patches."""
    folder = tmp_path_factory.mktemp("vit")
    sizes = ("image=48", "classes=10", *SMALL)
    return built("vision/vit-b16-cls.yaml", folder, *sizes)


def test_patches_are_named_by_row_and_column(vit: Path, tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).normal(size=(2, 3, 48, 48)).astype("f4")
    np.savez(tmp_path / "given.npz", pixels=pixels)
    found = attend(vit, Request(arrays=tmp_path / "given.npz"))
    side = "class 0,0 0,1 0,2 1,0 1,1 1,2 2,0 2,1 2,2"
    assert labels(found) == {"h.0.attn": (side, side), "h.1.attn": (side, side)}
    assert isinstance(found.patches, Patches)
    assert np.array_equal(found.patches.image, pixels[0])
    page = attention_page(found)
    assert page.count("over the image") == 2 * 2
    assert "the first of 2 inputs" in page


def test_too_many_weights_are_refused(
    vit: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.savez(tmp_path / "given.npz", pixels=np.zeros((1, 3, 48, 48), "f4"))
    monkeypatch.setattr(attention, "MOST", 2 * 100)
    request = Request(arrays=tmp_path / "given.npz")
    assert len(attend(vit, request, layer="0").maps) == 1
    with pytest.raises(CannotAnswer, match="too many weights"):
        attend(vit, request)


def test_an_empty_batch_is_refused(vit: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "given.npz", pixels=np.zeros((0, 3, 48, 48), "f4"))
    with pytest.raises(CannotAnswer, match=r"nothing is in `pixels` \[0, 3, 48, 48\]"):
        attend(vit, Request(arrays=tmp_path / "given.npz"))


def test_a_model_without_attention_is_built_without(tmp_path: Path) -> None:
    sizes = ("src_vocab=30", "tgt_vocab=30", "d_emb=8", "d_h=8")
    folder = built("history/01-seq2seq.yaml", tmp_path, *sizes)
    with pytest.raises(CannotAnswer, match=r"holds no `attend\.py`"):
        attend(folder, Request(ids=("src_ids=1", "tgt_ids=1")))
