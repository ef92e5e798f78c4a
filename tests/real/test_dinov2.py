"""DINOv2 S/14 (Oquab et al. 2023) with trained weights, on photographs, imported from files alone.

The weights come from an ONNX file that others exported: ONNX Runtime on their graph is one oracle,
transformers with the same weights another.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnxruntime
import pytest
import torch
from safetensors.torch import load_file
from sklearn.datasets import load_sample_images
from transformers import Dinov2Model

import archspec
from compiler.importers.imported import Imported, import_config
from compiler.pipeline import build, export
from compiler.runtime.opening import open_session
from tests.real import backbone
from tests.real.backbone import Array
from tests.real.modules import fresh
from tests.real.published import ROOT, published_pictures

CONFIG = ROOT / "tests" / "families" / "published" / "dinov2-small.json"
SPEC = ROOT / "specs" / "vision" / "dinov2-small.yaml"
PARAMETERS = 22_056_576 - 384
"""Without the token that hid patches in training, which the ONNX file has no use for."""
BARS = {"mean": 5e-6, "most": 2e-4}
"""Root mean square and largest distance of hidden states that deviate by 2 and reach 12.

In single precision both oracles are 2e-6 and up to 6e-5 from double precision themselves.
"""
SHAPES = [(2, 224, 224), (2, 154, 280), (1, 518, 518)]
"""Pictures, height and width: two grids that positions are shrunk to, and the trained one."""
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class Published:
    """The folder that transformers and we read, and the session of the published graph."""

    folder: Path
    session: onnxruntime.InferenceSession

    def by_onnx(self, pixels: Array) -> Array:
        """The hidden states, [B, T, D]."""
        (found,) = self.session.run(None, {backbone.INPUT: pixels})
        return np.asarray(found)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Published:
    model = backbone.opened(published_pictures())
    folder = tmp_path_factory.mktemp("published") / "dinov2-small"
    backbone.write_checkpoint(model, CONFIG, folder)
    return Published(folder, backbone.ending_at_the_backbone(model))


@pytest.fixture(scope="module")
def theirs(published: Published) -> Dinov2Model:
    """In double precision; the token that the ONNX file lacks is all that it misses."""
    loaded, said = Dinov2Model.from_pretrained(
        published.folder, local_files_only=True, output_loading_info=True
    )
    assert said["missing_keys"] == {"embeddings.mask_token"}
    assert not said["unexpected_keys"]
    return loaded.double().eval()


@pytest.fixture(scope="module")
def imported(published: Published, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The spec of the published config, as `archc import` writes it."""
    found = import_config(published.folder)
    assert isinstance(found, Imported), found
    assert found.warnings == ()
    path = tmp_path_factory.mktemp("imported") / "dinov2-small.yaml"
    path.write_text(found.text)
    return path


def photographs(count: int, height: int, width: int) -> Array:
    """A temple and a flower, [count, 3, height, width], mirrored at the edges where they end."""
    found = np.stack(load_sample_images().images[:count])
    high, wide = max(0, height - found.shape[1]), max(0, width - found.shape[2])
    padded = np.pad(found, ((0, 0), (0, high), (0, wide), (0, 0)), mode="reflect")
    top, left = (padded.shape[1] - height) // 2, (padded.shape[2] - width) // 2
    cut = padded[:, top : top + height, left : left + width] / 255
    return ((cut - MEAN) / DEVIATION).transpose(0, 3, 1, 2).astype(np.float32)


def sized(height: int, width: int) -> list[str]:
    return [f"inputs.pixels={{image: [3, {height}, {width}]}}"]


def test_the_photographs_are_seen(published: Published) -> None:
    """What was trained tells them apart: halves of one picture are more alike than of two."""
    whole = photographs(2, 420, 448)
    first = published.by_onnx(np.concatenate([whole[..., :224], whole[..., 224:]]))[:, 0]
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    alike = first @ first.T
    assert min(alike[0, 2], alike[1, 3]) > 0.05 + max(alike[0, 1], alike[0, 3], alike[1, 2])


def test_the_import_is_the_shipped_spec(imported: Path) -> None:
    """But for the size of the picture, which is the trained one there."""
    shipped, theirs = archspec.load(SPEC), archspec.load(imported, set=sized(224, 224))
    assert theirs.graph == shipped.graph
    assert theirs.outputs == shipped.outputs
    assert theirs.inputs["pixels"].shape == shipped.inputs["pixels"].shape
    assert theirs.weights is not None
    assert shipped.weights is not None
    assert theirs.weights.family == shipped.weights.family == "dinov2"


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_both_forms_give_the_published_hidden_states(
    shape: tuple[int, int, int],
    imported: Path,
    published: Published,
    theirs: Dinov2Model,
    tmp_path: Path,
) -> None:
    count, *sides = shape
    made = build(str(imported), set=sized(*sides), weights=str(published.folder), out=str(tmp_path))
    assert made.totals["parameters"] == PARAMETERS
    folder, pixels = tmp_path / "dinov2-small", photographs(*shape)
    model = fresh(folder, "Dinov2Small").eval()
    model.load_state_dict(load_file(folder / "model.safetensors"), strict=True)
    by_onnx = open_session(folder, device="cpu").run({"pixels": pixels})
    with torch.no_grad():
        by_torch = model(torch.from_numpy(pixels))
        wanted = theirs(torch.from_numpy(pixels).double()).last_hidden_state.numpy()
    assert wanted.shape == (count, 1 + sides[0] // 14 * (sides[1] // 14), 384)
    assert wanted.std() > 1
    for found in (by_onnx["final"], by_torch[0].numpy()):
        agree(found, wanted)
        agree(found, published.by_onnx(pixels))
    np.testing.assert_array_equal(by_onnx["first"], by_onnx["final"][:, 0])


def agree(found: Array, wanted: npt.NDArray[np.floating]) -> None:
    apart = np.abs(found - wanted)
    assert np.sqrt(np.square(apart).mean()) <= BARS["mean"]
    assert apart.max() <= BARS["most"]


def test_export_gives_the_published_checkpoint_back(
    imported: Path, published: Published, tmp_path: Path
) -> None:
    """From the build's own weights: every name, shape and byte, and nothing more."""
    build(str(imported), weights=str(published.folder), out=str(tmp_path), emit=("torch", "onnx"))
    export(str(imported), str(tmp_path / "back"), weights=str(tmp_path / "dinov2-small"))
    given, back = (
        load_file(folder / "model.safetensors") for folder in (published.folder, tmp_path / "back")
    )
    assert set(back) == set(given)
    for name, tensor in given.items():
        assert (back[name].dtype, back[name].shape) == (tensor.dtype, tensor.shape), name
        assert torch.equal(back[name].view(torch.uint8), tensor.view(torch.uint8)), name
