"""The made-up language says what it should: orders by hand, places that point at their words."""

import pytest
import torch

from tests.learn.sequences import FIRST, ORDERS, PAD, PARTICLE, START, STOP, batch

A, B, C = FIRST, FIRST + 100, FIRST + 200
"""A is a compound, B and C are none."""


def test_reversed() -> None:
    assert ORDERS["reverse"]([A, B, C]) == [(C, 2), (B, 1), (A, 0)]


def test_pairs_change_places_and_a_compound_becomes_two() -> None:
    assert ORDERS["reorder"]([A, B, C]) == [(B, 1), (A, 0), (PARTICLE, 0), (C, 2)]


@pytest.mark.parametrize("order", ORDERS)
def test_a_batch_is_framed_padded_and_aligned(order: str) -> None:
    made = batch(ORDERS[order], torch.tensor([3, 8, 5]), torch.Generator().manual_seed(0))
    assert made.seen.sum(dim=1).tolist() == [3, 8, 5]
    assert (made.target[:, 0] == START).all()
    assert ((made.target == STOP).sum(dim=1) == 1).all()
    told, source = made.target[:, 1:], made.source.gather(1, made.places.clamp(min=0))
    word = made.places >= 0
    assert ((told == source) | (told == PARTICLE))[word].all()
    assert ((told == STOP) | (told == PAD))[~word].all()
