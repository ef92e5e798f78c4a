"""Rules of initialisation as data."""

import math

import pytest

from compiler.ir.init import Init


@pytest.mark.parametrize(
    ("rule", "bound"),
    [
        (Init("uniform", 0.25), 0.25),
        (Init("xavier_uniform", 2, 4), 1.0),
        (Init("xavier_uniform", 512, 2048), math.sqrt(6 / 2560)),
        (Init("normal", 0.02), 0.0),
        (Init("zeros"), 0.0),
    ],
)
def test_the_bound_of_a_rule(rule: Init, bound: float) -> None:
    assert rule.bound == pytest.approx(bound)


def test_xavier_is_what_torch_draws() -> None:
    import torch

    drawn = torch.nn.init.xavier_uniform_(torch.empty(300, 200))
    bound = Init("xavier_uniform", 200, 300).bound
    assert drawn.abs().max().item() <= bound
    assert drawn.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
