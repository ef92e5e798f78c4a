"""Patches: a strided convolution is flatten and project; the mean-pooled ViT of transformers."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from compiler.verify.difference import apart
from tests.history.chapter import Page, normal, page
from tests.parity.vit import CLASSES, SIZES, D, L, Q, X, small_vit


def small(*patches: str) -> Page:
    sizes = {**SIZES, "classes": CLASSES}
    return page("12-vit", *(f"{name}={size}" for name, size in sizes.items()), *patches)


def cut(pixels: Tensor) -> Tensor:
    """[B, P, 3·Q·Q] patches cut out one by one, row by row."""
    corners = [(i, j) for i in range(0, X, Q) for j in range(0, X, Q)]
    return torch.stack([pixels[:, :, i : i + Q, j : j + Q].flatten(1) for i, j in corners], dim=1)


def test_the_convolution_is_unfold_and_a_linear_map_of_the_same_weights() -> None:
    found = small("outputs=[x]")
    pixels = normal(2, 3, X, X)
    (x,) = found.both(pixels=pixels)
    weight = found.weights["x.project.weight"].flatten(1)
    assert weight.shape == (D, 3 * Q * Q)
    unfolded = functional.unfold(pixels.double(), Q, stride=Q).transpose(1, 2)
    assert torch.equal(unfolded, cut(pixels.double()))
    wanted = functional.linear(unfolded, weight, found.weights["x.project.bias"])
    assert (x - (wanted + found.weights["x.positions.weight"])).abs().max() <= 1e-5


def test_patches_in_another_order_are_other_words_of_other_places() -> None:
    """Without its table a ViT would not know where a patch is: the mean forgets the order."""
    found = small()
    pixels = normal(2, 3, X, X)
    swapped = pixels.roll(Q, dims=-1)  # a whole patch to the right
    assert apart(found.torch(pixels=pixels), found.torch(pixels=swapped)) > 1e-2
    with torch.no_grad():
        found.model.get_submodule("x.positions").weight.zero_()  # type: ignore[operator]
    assert apart(found.torch(pixels=pixels), found.torch(pixels=swapped)) <= 1e-5


@pytest.fixture(scope="module")
def theirs() -> nn.Module:
    return small_vit()


def mean_pooled(theirs: nn.Module, pixels: Tensor) -> Tensor:
    """The parts of transformers' ViT over its patches alone, and the classifier on their mean."""
    body: nn.Module = theirs.get_submodule("vit")
    patches = body.get_submodule("embeddings.patch_embeddings")
    places = body.get_parameter("embeddings.position_embeddings")[:, 1:]
    x: Tensor = patches(pixels) + places
    for layer in body.get_submodule("layers").children():
        x = layer(x, None)
    last: Tensor = body.get_submodule("layernorm")(x)
    logits: Tensor = theirs.get_submodule("classifier")(last.mean(dim=1))
    return logits


def by_our_names(theirs: nn.Module) -> dict[str, Tensor]:
    given = {name.removeprefix("vit."): t for name, t in theirs.state_dict().items()}
    found = {
        "x.positions.weight": given["embeddings.position_embeddings"][0, 1:],
    }
    for kind in ("weight", "bias"):
        found[f"x.project.{kind}"] = given[f"embeddings.patch_embeddings.projection.{kind}"]
        found[f"final.{kind}"] = given[f"layernorm.{kind}"]
        found[f"logits.{kind}"] = given[f"classifier.{kind}"]
        for i in range(L):
            qkv = [given[f"layers.{i}.attention.{part}_proj.{kind}"] for part in "qkv"]
            found[f"h.{i}.attn.qkv.{kind}"] = torch.cat(qkv)
            found[f"h.{i}.attn.o.{kind}"] = given[f"layers.{i}.attention.o_proj.{kind}"]
            found[f"h.{i}.attn.norm.{kind}"] = given[f"layers.{i}.layernorm_before.{kind}"]
            found[f"h.{i}.mlp.norm.{kind}"] = given[f"layers.{i}.layernorm_after.{kind}"]
            found[f"h.{i}.mlp.up.{kind}"] = given[f"layers.{i}.mlp.fc1.{kind}"]
            found[f"h.{i}.mlp.down.{kind}"] = given[f"layers.{i}.mlp.fc2.{kind}"]
    return found


@pytest.mark.parametrize("batch", [1, 3])
def test_mean_pooled_it_is_the_vit_of_transformers(theirs: nn.Module, batch: int) -> None:
    found = small()
    found.model.load_state_dict(by_our_names(theirs), strict=True)
    pixels = normal(batch, 3, X, X)
    with torch.no_grad():
        wanted = mean_pooled(theirs, pixels)
    assert apart(found.both(pixels=pixels), [wanted]) <= 1e-5
