"""A generated ViT learns the handwritten digits of scikit-learn, 8 x 8 pixels each."""

import torch
from sklearn.datasets import load_digits
from torch import Tensor
from torch.nn import functional

from tests.learn.generated import born, told

SIZES = {
    "image": 8,
    "patch": 4,
    "d_model": 64,
    "n_layers": 2,
    "n_heads": 4,
    "d_ff": 128,
    "classes": 10,
    "defaults.init": {"normal": 0.1},
    "inputs.pixels.image": [1, 8, 8],
    "x.patches.channels": 1,
}


def images() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pixels `B1HW` in [-1, 1] and labels to learn from, then those to be judged by, 1 in 5."""
    pixels, labels = load_digits(return_X_y=True)
    x = torch.tensor(pixels, dtype=torch.float32).view(-1, 1, 8, 8) / 8 - 1
    y = torch.tensor(labels)
    order = torch.randperm(len(y), generator=torch.Generator().manual_seed(0))
    kept = len(y) // 5
    held, seen = order[:kept], order[kept:]
    return x[seen], y[seen], x[held], y[held]


def learn(epochs: int, rate: float = 3e-3, rows: int = 64) -> float:
    """Train, and the accuracy on the images held out."""
    x, y, held_x, held_y = images()
    model = born("12-vit", SIZES)
    draw = torch.Generator().manual_seed(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.05)
    steps = epochs * (len(y) // rows)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    model.train()
    for _ in told("vit on digits", steps):
        chosen = torch.randint(len(y), (rows,), generator=draw)
        loss = functional.cross_entropy(model(x[chosen]), y[chosen])
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        pace.step()
    model.eval()
    with torch.inference_mode():
        right = model(held_x).argmax(dim=-1) == held_y
    return float(right.float().mean())
