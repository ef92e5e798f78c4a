"""Train an encoder-decoder on such sentences, and measure what it says and where it looks."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.learn.generated import told
from tests.learn.sequences import PAD, Batch, Language, batch


@dataclass(frozen=True)
class Course:
    """How long and on what: sentences of `shortest` to `longest` words, Adam with one cycle.

    A batch holds about `words` words in sentences of one length. The longest grows over the share
    `growing` of the steps, so that an order is learned where it is easy.
    """

    steps: int
    longest: int
    rate: float
    words: int = 1024
    shortest: int = 2
    growing: float = 0.5
    seed: int = 0

    def length(self, done: int, draw: torch.Generator) -> int:
        """Of the next batch: the longer of two draws, for long sentences need more lessons."""
        grown = min(1.0, done / (self.growing * self.steps))
        longest = round(self.shortest + 2 + grown * (self.longest - self.shortest - 2))
        return int(torch.randint(self.shortest, longest + 1, (2,), generator=draw).max())


def train(model: nn.Module, language: Language, course: Course, step: str) -> float:
    """Teach by forcing the true target; the mean loss per token of the last fifty batches."""
    draw = torch.Generator().manual_seed(course.seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=course.rate, betas=(0.9, 0.98))
    pace = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, course.rate, total_steps=course.steps, pct_start=0.15
    )
    losses = []
    model.train()
    for done in told(step, course.steps):
        length = course.length(done, draw)
        loss = forced(model, batch(language, length, course.words // length, draw))
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        pace.step()
        losses.append(loss.item())
    return sum(losses[-50:]) / len(losses[-50:])


def forced(model: nn.Module, given: Batch) -> Tensor:
    """Cross entropy of each next token, in nats; padding counts for nothing."""
    return functional.cross_entropy(
        logits(model, given).flatten(0, 1), given.target[:, 1:].flatten(), ignore_index=PAD
    )


def logits(model: nn.Module, given: Batch) -> Tensor:
    """For each token of the targets after START, `B(T-1)V`, from the true ones before it."""
    found: Tensor = model(given.source, given.seen, given.target[:, :-1])
    return found


def exact(
    model: nn.Module, language: Language, length: int, rows: int = 500, seed: int = 1
) -> float:
    """The share of unseen sentences of a length that greedy decoding renders without a fault.

    It does so just when every token is the likeliest after the true ones before it, which one run
    shows for all tokens at once.
    """
    draw = torch.Generator().manual_seed(1000 * seed + length)
    given = batch(language, length, rows, draw)
    model.eval()
    with torch.inference_mode():
        said = logits(model, given).argmax(dim=-1)
    true = given.target[:, 1:]
    return float(((said == true) | (true == PAD)).all(dim=1).float().mean())


@dataclass(frozen=True)
class Alignment:
    """Where the strongest weight of a target word lies: shares of words by how far it is from the
    true place, in source positions."""

    shares: dict[int, float]

    @property
    def on(self) -> float:
        """On the true place."""
        return self.shares.get(0, 0.0)

    @property
    def near(self) -> float:
        """Within one place of it."""
        return sum(self.shares.get(off, 0.0) for off in (-1, 0, 1))


def alignment(model: nn.Module, language: Language, length: int, rows: int = 500) -> Alignment:
    """Where a recurrent decoder looks, by the scores its generated step computes, in order."""
    draw = torch.Generator().manual_seed(7)
    given = batch(language, length, rows, draw)
    looked = scores(model, given).argmax(dim=-1)
    off = (looked - given.places)[given.places >= 0]
    found = zip(*torch.unique(off, return_counts=True), strict=True)
    return Alignment({int(place): int(count) / len(off) for place, count in found})


def scores(model: nn.Module, given: Batch) -> Tensor:
    """Of every source for every token after START, `BTS`; their softmax is the attention."""
    found: list[Tensor] = []
    step = model.get_submodule("dec.score")
    handle = step.register_forward_hook(lambda _, __, each: found.append(each.squeeze(-1)))
    model.eval()
    with torch.inference_mode():
        logits(model, given)
    handle.remove()
    return torch.stack(found, dim=1)


@dataclass(frozen=True)
class Example:
    """One sentence, what becomes of it, and the attention between the two, `TS`."""

    source: tuple[int, ...]
    target: tuple[int, ...]
    weights: tuple[tuple[float, ...], ...]


def exemplified(model: nn.Module, language: Language, length: int) -> Example:
    """The attention of a recurrent decoder over an unseen sentence."""
    given = batch(language, length, 1, torch.Generator().manual_seed(11))
    rows = scores(model, given)[0].softmax(dim=-1).tolist()
    weights = tuple(tuple(round(weight, 3) for weight in row) for row in rows)
    return Example(tuple(given.source[0].tolist()), tuple(given.target[0, 1:].tolist()), weights)
