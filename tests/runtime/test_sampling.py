"""The next id: its chances are those of transformers' warpers, and draws follow them."""

from typing import Any

import numpy as np
import pytest
import torch

from compiler.answer import CannotAnswer
from compiler.runtime.sampling import Sampling

LOGITS = np.random.default_rng(0).normal(scale=2, size=40).astype("f4")


@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("top_k", [1, 5, 40])
@pytest.mark.parametrize("top_p", [0.05, 0.6, 0.9, 1.0])
def test_the_chances_are_those_of_transformers(
    temperature: float, top_k: int, top_p: float
) -> None:
    from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

    scores = torch.tensor(LOGITS)[None]
    scores = TemperatureLogitsWarper(temperature)(None, scores)
    scores = TopKLogitsWarper(top_k)(None, scores)
    wanted = TopPLogitsWarper(top_p)(None, scores).softmax(-1)[0].numpy()
    kept, chances = Sampling(temperature, top_k, top_p).chances(LOGITS)
    found = np.zeros(40)
    found[kept] = chances
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_draws_follow_the_chances() -> None:
    sampling, draws, times = Sampling(1.0, 4), np.random.default_rng(1), 20_000
    kept, chances = sampling.chances(LOGITS)
    counts = np.bincount([sampling.choose(LOGITS, draws) for _ in range(times)], minlength=40)
    deviation = np.sqrt(times * chances * (1 - chances))
    assert counts.sum() == counts[kept].sum()
    assert (np.abs(counts[kept] - times * chances) < 4 * deviation).all()


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(1e-300), Sampling(5.0, top_k=1)])
def test_cold_and_narrow_draws_take_the_likeliest(sampling: Sampling) -> None:
    draws = np.random.default_rng(2)
    assert {sampling.choose(LOGITS, draws) for _ in range(20)} == {int(LOGITS.argmax())}


def test_a_row_is_drawn_as_it_is_alone_with_the_next_seed() -> None:
    alone = Sampling(1.0, seed=8).draws(0).random(3)
    assert np.array_equal(Sampling(1.0, seed=5).draws(3).random(3), alone)


def test_of_equal_logits_the_lower_id_is_kept() -> None:
    kept, chances = Sampling(1.0, top_k=2).chances(np.zeros(9, "f4"))
    assert (kept.tolist(), chances.tolist()) == ([0, 1], [0.5, 0.5])


@pytest.mark.parametrize(
    "wrong",
    [
        {"temperature": -0.1},
        {"temperature": float("inf")},
        {"temperature": float("nan")},
        {"top_k": 0},
        {"top_p": 0},
        {"top_p": 1.5},
        {"top_p": float("nan")},
        {"seed": -1},
    ],
)
def test_what_means_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(CannotAnswer, match=next(iter(wrong)).replace("_", "-")):
        Sampling(**wrong)
