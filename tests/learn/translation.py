"""Train an encoder-decoder on such sentences, and measure what it says and where it looks."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.learn.generated import told
from tests.learn.sequences import PAD, START, STOP, Batch, Order, batch


@dataclass(frozen=True)
class Course:
    """How long and on what: sentences of `shortest` to `longest` words, Adam with one cycle."""

    steps: int
    longest: int
    rate: float
    rows: int = 128
    shortest: int = 2
    seed: int = 0


def train(model: nn.Module, order: Order, course: Course, step: str) -> float:
    """Teach by forcing the true target; the mean loss per token of the last fifty batches.

    The longest sentence grows over the first third, so that order is learned where it is easy.
    """
    draw = torch.Generator().manual_seed(course.seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=course.rate, betas=(0.9, 0.98))
    pace = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, course.rate, total_steps=course.steps, pct_start=0.15
    )
    losses = []
    model.train()
    for done in told(step, course.steps):
        grown = min(1.0, 3 * done / course.steps)
        longest = round(course.shortest + 2 + grown * (course.longest - course.shortest - 2))
        lengths = torch.randint(course.shortest, longest + 1, (course.rows,), generator=draw)
        loss = forced(model, batch(order, lengths, draw))
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        pace.step()
        losses.append(loss.item())
    return sum(losses[-50:]) / len(losses[-50:])


def forced(model: nn.Module, given: Batch) -> Tensor:
    """Cross entropy of each next token, in nats; padding counts for nothing."""
    logits = model(given.source, given.seen, given.target[:, :-1])
    return functional.cross_entropy(
        logits.flatten(0, 1), given.target[:, 1:].flatten(), ignore_index=PAD
    )


def exact(model: nn.Module, order: Order, length: int, rows: int = 500, seed: int = 1) -> float:
    """The share of unseen sentences of a length that greedy decoding renders without a fault."""
    draw = torch.Generator().manual_seed(1000 * seed + length)
    given = batch(order, torch.full((rows,), length), draw)
    said = greedy(model, given, given.target.shape[1])
    return float((said == given.target).all(dim=1).float().mean())


def greedy(model: nn.Module, given: Batch, length: int) -> Tensor:
    """Targets `BT` of a length, the likeliest token at each step; after STOP only padding."""
    model.eval()
    target = torch.full((given.source.shape[0], 1), START)
    with torch.inference_mode():
        while target.shape[1] < length:
            logits = model(given.source, given.seen, target)
            token = logits[:, -1:].argmax(dim=-1)
            ended = (target[:, -1:] == STOP) | (target[:, -1:] == PAD)
            target = torch.cat((target, token.masked_fill(ended, PAD)), dim=1)
    return target


@dataclass(frozen=True)
class Alignment:
    """Shares of target words whose strongest weight lies on the true place, or within one."""

    on: float
    near: float


def alignment(model: nn.Module, order: Order, length: int, rows: int = 500) -> Alignment:
    """Where a recurrent decoder looks, by the scores its generated step computes, in order."""
    draw = torch.Generator().manual_seed(7)
    given = batch(order, torch.full((rows,), length), draw)
    scores: list[Tensor] = []
    step = model.get_submodule("dec.score")
    handle = step.register_forward_hook(lambda _, __, found: scores.append(found.squeeze(-1)))
    model.eval()
    with torch.inference_mode():
        forced(model, given)
    handle.remove()
    looked = torch.stack(scores, dim=1).argmax(dim=-1)
    word = given.places >= 0
    off = (looked - given.places).abs()[word]
    return Alignment(float((off == 0).float().mean()), float((off <= 1).float().mean()))
