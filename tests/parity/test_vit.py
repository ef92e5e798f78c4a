"""The Vision Transformer against transformers, its mean-pooled form against torch's layers."""

from pathlib import Path

import pytest
import torch
from torch import nn

from compiler.verify.difference import apart
from compiler.verify.module import build, shake
from tests.parity.ours import BAR, Ours, ours, spec
from tests.parity.vit import CLASSES, SIZES, D, H, L, M, Q, X, small_vit


@pytest.fixture(scope="module")
def theirs() -> nn.Module:
    return small_vit()


@pytest.fixture(scope="module")
def published(theirs: nn.Module, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("vit")
    theirs.save_pretrained(folder / "published")  # type: ignore[operator]  # a transformers model
    return folder / "published"


@pytest.fixture(scope="module")
def classifier(published: Path) -> Ours:
    made = spec("vision/vit-b16-cls.yaml", classes=CLASSES, weights="vit", **SIZES)
    return ours(made, published, published.parent / "classifier")


def pixels(batch: int) -> torch.Tensor:
    return torch.randn(batch, 3, X, X, generator=torch.Generator().manual_seed(batch))


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_logits(theirs: nn.Module, classifier: Ours, batch: int) -> None:
    with torch.no_grad():
        wanted = theirs(pixels(batch)).logits
    classifier.agrees({"pixels": pixels(batch)}, [wanted])


def test_hidden_states(theirs: nn.Module, published: Path) -> None:
    """ViTModel: every token behind the last norm."""
    made = spec(
        "vision/vit-b16-cls.yaml",
        classes=CLASSES,
        weights="vit",
        outputs=["final", "logits"],
        **SIZES,
    )
    both = ours(made, published, published.parent / "hidden")
    with torch.no_grad():
        wanted = theirs(pixels(2), output_hidden_states=True)
        body = theirs.vit(pixels(2)).last_hidden_state  # type: ignore[operator]  # a transformers model
    both.agrees({"pixels": pixels(2)}, [body, wanted.logits])


class Reference(nn.Module):
    """ViT without a class token, of torch's parts: patches, pre-norm layers, mean, classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Conv2d(3, D, Q, Q)
        self.positions = nn.Parameter(torch.zeros((X // Q) ** 2, D))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                D, H, M, 0.0, "gelu", layer_norm_eps=1e-6, batch_first=True, norm_first=True
            )
            for _ in range(L)
        )
        self.final = nn.LayerNorm(D, eps=1e-6)
        self.classes = nn.Linear(D, CLASSES)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        x = self.project(pixels).flatten(2).transpose(1, 2) + self.positions
        for layer in self.layers:
            x = layer(x)
        logits: torch.Tensor = self.classes(self.final(x).mean(dim=1))
        return logits


def test_mean_pooled() -> None:
    reference = Reference()
    shake(reference)
    model = build(spec("vision/vit-b16-mean.yaml", classes=CLASSES, **SIZES).generated)
    model.load_state_dict(renamed(reference.state_dict()), strict=True)
    wanted = reference(pixels(3))  # with gradients, which keeps torch off its fused path
    assert apart([model(pixels(3)).detach()], [wanted.detach()]) <= BAR


def renamed(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The reference's parameters by our names."""
    pairs = {
        "project": "x.project",
        "positions": "x.positions.weight",
        "final": "final",
        "classes": "logits",
        "self_attn.in_proj_": "attn.qkv.",
        "self_attn.out_proj": "attn.o",
        "linear1": "mlp.up",
        "linear2": "mlp.down",
        "norm1": "attn.norm",
        "norm2": "mlp.norm",
        "layers": "h",
    }
    found = {}
    for name, tensor in state.items():
        for theirs, mine in pairs.items():
            name = name.replace(theirs, mine)
        found[name] = tensor
    return found
