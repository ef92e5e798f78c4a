"""The made-up language says what it should: orders by hand, places that point at their words."""

import pytest
import torch

from tests.learn.sequences import FIRST, ORDERS, PAD, PARTICLE, START, STOP, Language, batch

A, B, C = FIRST, FIRST + 100, FIRST + 200
"""A is a compound, B and C are none."""


def test_reversed() -> None:
    assert Language("reverse").told([A, B, C]) == [(C, 2), (B, 1), (A, 0)]


def test_pairs_change_places_and_a_compound_becomes_two() -> None:
    assert Language("reorder").told([A, B, C]) == [(B, 1), (A, 0), (PARTICLE, 0), (C, 2)]


@pytest.mark.parametrize("order", ORDERS)
def test_a_batch_is_framed_padded_and_aligned(order: str) -> None:
    made = batch(Language(order), 7, 20, torch.Generator().manual_seed(0))
    assert made.source.shape == (20, 8)
    assert made.seen.all()
    assert (made.source[:, -1] == STOP).all()
    assert int(made.source[:, :-1].min()) >= FIRST
    assert (made.target[:, 0] == START).all()
    assert ((made.target == STOP).sum(dim=1) == 1).all()
    told, source = made.target[:, 1:], made.source.gather(1, made.places.clamp(min=0))
    word = made.places >= 0
    assert ((told == source) | (told == PARTICLE))[word].all()
    assert ((told == STOP) | (told == PAD))[~word].all()
