"""Attention learns orders at every length and looks where the word is; one vector cannot."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor, nn

from tests.learn.lessons import Translator, taught
from tests.learn.sequences import PAD, START, STOP, Batch, batch
from tests.learn.sizes import REORDER, REVERSE, SMALL, Translation
from tests.learn.translation import alignment, exact

TRAINED = range(2, 7)


def learned(name: str) -> Translator:
    lesson = SMALL[name]
    assert isinstance(lesson, Translation)
    return taught(lesson)


@pytest.fixture(scope="module")
def attention() -> Translator:
    return learned("reverse/attention")


@pytest.mark.slow
@pytest.mark.xdist_group("attention")
def test_additive_attention_reverses(attention: Translator) -> None:
    assert min(attention.shares(TRAINED).values()) > 0.99


@pytest.mark.slow
@pytest.mark.xdist_group("attention")
def test_it_looks_at_the_word_that_it_says(attention: Translator) -> None:
    """The alignment is never taught: no state and no loss knows of it."""
    looks = attention.looks(TRAINED[-1])
    assert looks.on > 0.9
    assert looks.near > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["attention", "transformer"])
def test_both_reorder(kind: str) -> None:
    shares = learned(f"reorder/{kind}").shares(TRAINED)
    assert min(shares.values()) > 0.99


@pytest.mark.slow
def test_one_context_vector_falls_with_the_length() -> None:
    shares = list(learned("reverse/fixed").shares(TRAINED).values())
    assert all(longer <= shorter for shorter, longer in pairwise(shares))
    assert shares[0] > 0.5
    assert shares[-1] < 0.2


class Mirror(nn.Module):
    """Says the source backwards by rule, and scores the source `slip` places beside the word."""

    def __init__(self, slip: int) -> None:
        super().__init__()
        self.slip = slip
        self.dec = nn.ModuleDict({"score": nn.Identity()})

    def forward(self, source: Tensor, seen: Tensor, target: Tensor) -> Tensor:
        logits = torch.zeros(*target.shape, REVERSE.vocab)
        for step in range(target.shape[1]):
            place = seen.sum(dim=1) - 2 - step
            word = source.gather(1, place.clamp(min=0)[:, None])[:, 0]
            said = torch.where(place >= 0, word, STOP)
            logits[torch.arange(len(said)), step, said] = 1.0
            looked = (place + self.slip).clamp(0, source.shape[1] - 1)
            self.dec["score"](nn.functional.one_hot(looked, source.shape[1]).float()[..., None])
        return logits


def test_the_measures_know_right_from_wrong() -> None:
    assert exact(Mirror(0), REVERSE, 5, rows=20) == 1.0
    assert exact(Mirror(0), REORDER, 5, rows=20) == 0.0
    true, beside, far = (alignment(Mirror(slip), REVERSE, 8, rows=20) for slip in (0, -1, 3))
    assert (true.on, true.near) == (1.0, 1.0)
    assert beside.on < 0.2
    assert beside.near == 1.0
    assert far.near < 0.5


def greedy(model: nn.Module, given: Batch) -> Tensor:
    """The likeliest token at each step, fed back; after STOP only padding."""
    target = torch.full((len(given.source), 1), START)
    while target.shape[1] < given.target.shape[1]:
        token = model(given.source, given.seen, target)[:, -1:].argmax(dim=-1)
        ended = (target[:, -1:] == STOP) | (target[:, -1:] == PAD)
        target = torch.cat((target, token.masked_fill(ended, PAD)), dim=1)
    return target


@pytest.mark.slow
@pytest.mark.xdist_group("attention")
@pytest.mark.parametrize("length", [6, 7])
def test_exact_matches_are_those_of_greedy_decoding(attention: Translator, length: int) -> None:
    """One run with the true target tells what a loop that feeds itself would say."""
    given = batch(REVERSE, length, 500, torch.Generator().manual_seed(1000 + length))
    with torch.inference_mode():
        said = (greedy(attention.model, given) == given.target).all(dim=1).float().mean()
    assert exact(attention.model, REVERSE, length) == float(said)
