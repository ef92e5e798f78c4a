"""Attention without weights: closed form, the axis of the softmax, the scale."""

import pytest
import torch

from tests.history.chapter import normal, page, softmax_mixture

PAGE = page("04-dot-product-attention")
X, ONE, MANY = normal(2, 9, 64), normal(2, 1, 64, seed=1) / 4, normal(2, 5, 64, seed=2) / 4
ALL = torch.ones(1, 1, dtype=torch.bool)


def test_one_many_and_scaled_are_the_closed_form() -> None:
    one, many, scaled = PAGE.both(x=X, query=ONE, queries=MANY)
    for found, query, scale in ((one, ONE, 1.0), (many, MANY, 1.0), (scaled, MANY, 1 / 8)):
        wanted = softmax_mixture(query, X, X, scale, ALL)
        assert (found - wanted).abs().max() <= 1e-5


def test_the_softmax_runs_over_the_set() -> None:
    """Shares over the queries instead of over the vectors are another function."""
    _, found, _ = PAGE.torch(x=X, query=ONE, queries=MANY)
    scores = (MANY @ X.mT).double()
    right, wrong = scores.softmax(dim=-1) @ X.double(), scores.softmax(dim=-2) @ X.double()
    assert (found - right).abs().max() <= 1e-5
    assert (found - wrong).abs().max() > 0.1


def test_shares_add_up_to_one() -> None:
    """A set whose vectors are all alike gives that vector, whatever is asked."""
    same = X[:, :1].expand(-1, 9, -1)
    for found in PAGE.torch(x=same, query=ONE, queries=MANY):
        assert (found - same[:, :1]).abs().max() <= 1e-5


def test_a_query_of_many_is_a_query_alone() -> None:
    _, many, _ = PAGE.torch(x=X, query=ONE, queries=MANY)
    for t in range(MANY.shape[1]):
        one, _, _ = PAGE.torch(x=X, query=MANY[:, t : t + 1], queries=MANY)
        assert (one[:, 0] - many[:, t]).abs().max() <= 1e-6


@pytest.mark.parametrize("width", [16, 256])
def test_the_scale_keeps_scores_from_growing_with_the_width(width: int) -> None:
    """Unscaled, the largest share of wide vectors nears one; scaled, it stays (section 3.2.1)."""
    wide = page("04-dot-product-attention", f"d_model={width}")
    x = normal(4, 50, width)
    queries = normal(4, 20, width, seed=3)
    scores = queries @ x.mT
    plain, scaled = (s.softmax(-1).amax(-1).mean() for s in (scores, scores / width**0.5))
    _, many, mild = wide.torch(x=x, query=queries[:, :1], queries=queries)
    assert (many - scores.softmax(-1) @ x).abs().max() <= 1e-4
    assert (mild - (scores / width**0.5).softmax(-1) @ x).abs().max() <= 1e-5
    assert plain > 0.55
    assert scaled < 0.25
