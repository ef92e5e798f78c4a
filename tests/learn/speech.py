"""A generated GPT learns letters of `text.txt`, and is judged by its last tenth."""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.learn.generated import born, told

TEXT = (Path(__file__).parent / "text.txt").read_text(encoding="utf-8")
LETTERS = sorted(set(TEXT))
CONTEXT = 64


@dataclass(frozen=True)
class Speaker:
    """What was learned, in nats a letter: on what it read, and on the tenth that it did not."""

    model: nn.Module
    read: float
    unread: float

    def says(self, start: str, letters: int) -> str:
        """The likeliest letter after the last `CONTEXT`, again and again."""
        said = ids(start)
        with torch.inference_mode():
            while len(said) < len(start) + letters:
                logits = self.model(said[None, -CONTEXT:])
                said = torch.cat((said, logits[0, -1:].argmax(dim=-1)))
        return "".join(LETTERS[k] for k in said.tolist())


def ids(text: str) -> Tensor:
    """A number for each letter."""
    return torch.tensor([LETTERS.index(letter) for letter in text])


def learn(
    steps: int, width: int = 64, layers: int = 2, rate: float = 3e-3, rows: int = 32
) -> Speaker:
    """Train on windows of `CONTEXT` letters from the first nine tenths."""
    kept = len(TEXT) * 9 // 10
    seen, held = ids(TEXT[:kept]), ids(TEXT[kept:])
    sizes = {
        "vocab": len(LETTERS),
        "d_model": width,
        "n_layers": layers,
        "n_heads": 4,
        "max_len": CONTEXT,
    }
    model = born("11-gpt-ladder", sizes)
    draw = torch.Generator().manual_seed(0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.1)
    pace = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    model.train()
    for _ in told("gpt on a text", steps):
        starts = torch.randint(len(seen) - CONTEXT, (rows,), generator=draw)
        windows = torch.stack([seen[at : at + CONTEXT + 1] for at in starts.tolist()])
        loss = nats(model, windows)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        pace.step()
    model.eval()
    with torch.inference_mode():
        read, unread = (float(nats(model, windowed(each))) for each in (seen, held))
    return Speaker(model, read, unread)


def nats(model: nn.Module, windows: Tensor) -> Tensor:
    """Mean cross entropy of each next letter of `windows`, `B(T+1)`."""
    logits = model(windows[:, :-1])
    return functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())


def windowed(text: Tensor) -> Tensor:
    """The text as rows of `CONTEXT` letters and the one after; what is left over is left out."""
    return text.unfold(0, CONTEXT + 1, CONTEXT)
