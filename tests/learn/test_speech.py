"""A generated GPT learns a text: far below what letter counts alone explain, also unread."""

import math
from collections import Counter

import pytest
import torch

from tests.learn.sizes import SMALL, Speech
from tests.learn.speech import CONTEXT, LETTERS, TEXT, ids, learn, windowed


def entropy(text: str) -> float:
    """Of single letters, in nats: what a model that looks at nothing reaches."""
    counts = Counter(text)
    return -sum(n / len(text) * math.log(n / len(text)) for n in counts.values())


@pytest.mark.slow
def test_it_learns_the_text() -> None:
    lesson = SMALL["speech"]
    assert isinstance(lesson, Speech)
    said = learn(lesson.steps, lesson.width, lesson.layers)
    assert said.read < 2.1 < entropy(TEXT) - 0.5
    assert said.unread < 2.45


def test_the_text_is_plain_and_long_enough() -> None:
    assert len(TEXT) >= 10_000
    assert TEXT.isascii()


def test_windows_cover_the_text() -> None:
    rows = windowed(ids(TEXT))
    assert rows.shape[1] == CONTEXT + 1
    assert torch.equal(rows[:, :-1].flatten(), ids(TEXT)[: rows.shape[0] * CONTEXT])
    assert "".join(LETTERS[k] for k in rows[0, :9].tolist()) == TEXT[:9]
