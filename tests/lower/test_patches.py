"""Patches with all they may have, against transformers' embeddings of images."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import Dinov2Config, Dinov2WithRegistersConfig
from transformers.models.dinov2.modeling_dinov2 import Dinov2Embeddings
from transformers.models.dinov2_with_registers.modeling_dinov2_with_registers import (
    Dinov2WithRegistersEmbeddings,
)

from tests.backends.torch.live import Live, live
from tests.lower.specs import Tree, model, rejected

D = 12


def over_image(image: tuple[int, int], form: Tree, channels: int = 3) -> Tree:
    whole = {"channels": channels, "dim": D, **form}
    given = {"pixels": {"image": [channels, *image]}}
    return model({"x": {"patches": whole, "in": "pixels"}}, given)


def shaken(module: nn.Module) -> nn.Module:
    draw = torch.Generator().manual_seed(3)
    for parameter in module.parameters():
        parameter.data = torch.randn(parameter.shape, generator=draw)
    return module.double().eval()


def agrees(spec: Tree, theirs: nn.Module, names: dict[str, str], image: Tensor) -> Live:
    """Our patches with their weights give what they give."""
    found = live(spec)
    state = dict(theirs.state_dict())
    weights = {ours: state[name] for ours, name in names.items()}
    known = {n: tuple(t.shape) for n, t in found.weights.items()}
    found.weights.update({n: t.view(known[n]) for n, t in weights.items()})
    assert set(found.weights) == set(names)
    with torch.no_grad():
        wanted = theirs(image)
    (y,) = found.found({"pixels": image})
    assert torch.allclose(y, wanted, atol=1e-5)
    return found


NAMES = {
    "x.project.weight": "patch_embeddings.projection.weight",
    "x.project.bias": "patch_embeddings.projection.bias",
    "x.cls.weight": "cls_token",
    "x.positions.weight": "position_embeddings",
}


@pytest.mark.parametrize("image", [(12, 12), (20, 20), (8, 16), (4, 12)])
def test_positions_of_another_image_as_dinov2(image: tuple[int, int]) -> None:
    config = Dinov2Config(hidden_size=D, image_size=12, patch_size=4, num_attention_heads=2)
    theirs = shaken(Dinov2Embeddings(config))
    del theirs.mask_token
    form = {"size": 4, "image": 12, "bias": True, "prefix": ["cls"], "positions": "learned"}
    spec = over_image(image, {**form, "resize": "bicubic"})
    agrees(spec, theirs, NAMES, torch.randn(2, 3, *image).double())


@pytest.mark.parametrize("image", [(12, 12), (20, 20), (8, 16)])
def test_registers_behind_the_positions_as_dinov2(image: tuple[int, int]) -> None:
    config = Dinov2WithRegistersConfig(
        hidden_size=D, image_size=12, patch_size=4, num_attention_heads=2, num_register_tokens=3
    )
    theirs = shaken(Dinov2WithRegistersEmbeddings(config))
    del theirs.mask_token
    form = {"size": 4, "image": 12, "bias": True, "positions": "learned",
            "prefix": ["cls", {"registers": 3}], "positions_cover": "before_registers",
            "resize": "bicubic_antialias"}  # fmt: skip
    names = {**NAMES, "x.registers.weight": "register_tokens"}
    agrees(over_image(image, form), theirs, names, torch.randn(2, 3, *image).double())


@pytest.mark.parametrize(
    ("prefix", "wanted"),
    [
        ([{"registers": 2}, "cls"], [None, None, 0, 1, 2, 3, 4]),
        (["cls", {"registers": 2}], [0, None, None, 1, 2, 3, 4]),
        (["cls", "dist", {"registers": 2}], [0, 1, None, None, 2, 3, 4, 5]),
    ],
)
def test_registers_stand_where_the_prefix_has_them(prefix: Any, wanted: list[int | None]) -> None:
    form = {"size": 4, "image": 8, "positions": "learned", "prefix": prefix,
            "positions_cover": "before_registers"}  # fmt: skip
    found = live(over_image((8, 8), form))
    w = {name: torch.zeros_like(value) for name, value in found.weights.items()}
    w["x.positions.weight"] = found.weights["x.positions.weight"]
    w["x.registers.weight"] = found.weights["x.registers.weight"]
    found.weights.update(w)
    (y,) = found.found(found.inputs(2))
    registers = iter(w["x.registers.weight"])
    rows = [next(registers) if at is None else w["x.positions.weight"][at] for at in wanted]
    assert torch.allclose(y, torch.stack(rows).expand(2, -1, -1))


def test_sides_that_differ_sinusoids_and_a_norm() -> None:
    form = {"size": [2, 3], "image": [4, 9], "bias": True, "prefix": ["cls"],
            "positions": "sinusoid", "norm": {"layer": 1e-5}}  # fmt: skip
    found = live(over_image((4, 9), form, channels=2))
    given = found.inputs(2)
    w, image = found.weights, given["pixels"]
    cells = nn.functional.conv2d(image, w["x.project.weight"], w["x.project.bias"], stride=(2, 3))
    x = torch.cat((w["x.cls.weight"].expand(2, 1, D), cells.flatten(2).mT), dim=1)
    rate = 10000.0 ** (-torch.arange(0, D, 2).double() / D)
    angle = torch.arange(7).double()[:, None] * rate
    x = x + torch.stack((angle.sin(), angle.cos()), dim=2).flatten(1)
    wanted = nn.functional.layer_norm(x, (D,), w["x.norm.weight"], w["x.norm.bias"])
    assert torch.allclose(found.found(given)[0], wanted, atol=1e-6)


@pytest.mark.parametrize(
    ("image", "resize", "code"),
    [((8, 12), None, "AR0301"), ((10, 12), "bicubic", "AR0209"), ((8, 8), None, "AR0301")],
)
def test_an_image_that_does_not_fit(image: tuple[int, int], resize: str | None, code: str) -> None:
    form = {"size": 4, "image": 12, "positions": "learned"}
    more = {"resize": resize} if resize else {}
    assert rejected(over_image(image, {**form, **more})).code == code
