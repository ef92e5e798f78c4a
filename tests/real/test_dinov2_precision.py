"""What integers cost the published DINOv2 S/14: its hidden states of parts of photographs."""

from pathlib import Path
from typing import Final

import numpy as np
import pytest

from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.runtime.opening import open_session
from tests.real import backbone
from tests.real.backbone import Array
from tests.real.published import published_pictures
from tests.real.test_dinov2 import CONFIG, SPEC, photographs, sized

SIDE: Final = 224


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("published") / "dinov2-small"
    backbone.write_checkpoint(backbone.opened(published_pictures()), CONFIG, folder)
    return folder


def pictures() -> Array:
    """Six overlapping parts of each photograph."""
    whole = photographs(2, 420, 630)
    corners = [(top, left) for top in (0, 196) for left in (0, 203, 406)]
    return np.concatenate([whole[..., t : t + SIDE, x : x + SIDE] for t, x in corners])


def hidden(target: Target, published: Path, folder: Path) -> Array:
    """Vectors of length one for each place of each picture, [B, T, D]."""
    build(
        str(SPEC),
        set=sized(SIDE, SIDE),
        weights=str(published),
        out=str(folder),
        target=target,
        emit=("onnx",),
    )
    (model,) = folder.glob("**/model.onnx")
    found = open_session(model.parent, device="cpu").run({"pixels": pictures()})["final"]
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def test_the_hidden_states_of_every_place_survive_int8(published: Path, tmp_path: Path) -> None:
    plain = hidden(Target("cpu"), published, tmp_path / "plain")
    found = hidden(Target("cpu", "int8"), published, tmp_path / "int8")
    cosines = (found * plain).sum(axis=-1)
    print(f"int8: {cosines.mean():.5f} {cosines.min():.5f} first {cosines[:, 0].mean():.5f}")
    assert cosines.mean() >= 0.999
    assert cosines[:, 0].mean() >= 0.999
