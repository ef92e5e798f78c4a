"""Positions: sinusoids added and put beside, a learned table, rotations."""

import math

import pytest
import torch
from torch import Tensor

from tests.history.chapter import multi_head, normal, of, page

ALL = torch.ones(1, 1, dtype=torch.bool)
X = normal(2, 11, 64)


def waves(length: int, width: int) -> Tensor:
    """Vaswani et al. 2017, section 3.5, number by number."""
    table = torch.zeros(length, width, dtype=torch.float64)
    for t in range(length):
        for i in range(0, width, 2):
            angle = t / 10000 ** (i / width)
            table[t, i], table[t, i + 1] = math.sin(angle), math.cos(angle)
    return table


def attended(x: Tensor, weights: dict[str, Tensor]) -> Tensor:
    """A layer of four heads over vectors that have their positions."""
    q, k, v = (x @ weights["y.qkv.weight"].T).chunk(3, dim=-1)
    return multi_head(q, k, v, 4, ALL) @ weights["y.o.weight"].T


def test_sinusoids_are_added() -> None:
    found = page("07-positions-sinusoid")
    (y,) = found.both(x=X)
    assert (y - attended(X.double() + waves(11, 64), found.weights)).abs().max() <= 1e-5


def test_sinusoids_are_put_beside() -> None:
    found = page("07-positions-concat")
    (y,) = found.both(x=X)
    beside = torch.cat((X.double(), waves(11, 16).expand(2, -1, -1)), dim=-1)
    assert found.weights["y.qkv.weight"].shape == (3 * 80, 80)
    assert (y - attended(beside, found.weights)).abs().max() <= 1e-5


def test_a_learned_table_is_added() -> None:
    found = page("07-positions-learned")
    (y,) = found.both(x=X)
    (table,) = (w for name, w in found.weights.items() if w.shape == (256, 64))
    assert (y - attended(X.double() + table[:11], found.weights)).abs().max() <= 1e-5


def test_rotations_are_those_of_transformers() -> None:
    """GPT-J turns neighbours: its functions on the queries and keys of this model."""
    from transformers.models.gptj import modeling_gptj as gptj

    found = page("07-positions-rotary")
    (y,) = found.both(x=X)
    q, k, v = (X.double() @ found.weights["y.qkv.weight"].T).chunk(3, dim=-1)
    sin, cos = gptj.create_sinusoidal_positions(11, 16).double()[None].chunk(2, dim=-1)
    q, k = (
        gptj.apply_rotary_pos_emb(each.view(2, 11, 4, 16), sin, cos).flatten(2) for each in (q, k)
    )
    wanted = multi_head(q, k, v, 4, ALL) @ found.weights["y.o.weight"].T
    assert (y - wanted).abs().max() <= 1e-5


def test_a_rotated_score_depends_on_the_distance_alone() -> None:
    """Two tokens a and b among zeros: the answer at b is the same wherever the two stand."""
    found = page("07-positions-rotary")
    a, b = normal(1, 64), normal(1, 64, seed=1)
    answers = []
    for start in (0, 3, 6):
        x = torch.zeros(1, 12, 64)
        x[:, start], x[:, start + 4] = a, b
        answers.append(found.torch(x=x)[0][:, start + 4])
    assert (answers[0] - answers[1]).abs().max() <= 1e-5
    assert (answers[0] - answers[2]).abs().max() <= 1e-5
    absolute = page("07-positions-sinusoid")
    placed = [absolute.torch(x=X[:, :8])[0], absolute.torch(x=torch.roll(X[:, :8], 3, 1))[0]]
    assert (torch.roll(placed[0], 3, 1) - placed[1]).abs().max() > 1e-2


@pytest.mark.parametrize("layout", ["interleaved", "halves"])
@pytest.mark.parametrize("span", ["d", "d-2"])
def test_layouts_and_spans_beside(layout: str, span: str) -> None:
    """The width of the waves is their own, not the vectors'."""
    waves_ = {"max": 64, "layout": layout, "span": span}
    found = of(
        {
            "name": "beside",
            "inputs": {"x": {"features": ["T", 6]}},
            "graph": {
                "y": {"positions": {"sinusoid": waves_, "combine": "concat", "width": 4}, "in": "x"}
            },
        }
    )
    x = normal(2, 5, 6)
    (y,) = found.both(x=x)
    assert torch.equal(y[..., :6], x)
    rates = [1.0, 10000 ** -(0.5 if span == "d" else 1.0)]
    for t in range(5):
        sines, cosines = ([f(t * r) for r in rates] for f in (math.sin, math.cos))
        by_pairs = [sines[0], cosines[0], sines[1], cosines[1]]
        wanted = torch.tensor(by_pairs if layout == "interleaved" else sines + cosines)
        assert (y[:, t, 6:] - wanted).abs().max() <= 1e-6
