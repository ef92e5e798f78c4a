"""The rates of scaled rotary pairs against those of transformers."""

import itertools

import pytest

from compiler.ops.rope_by_length import Dynamic, Longrope
from compiler.ops.rope_scaling import Linear, Llama3, Proportional, Scaling, Yarn, rates
from tests.ops.published_rates import published_rates

SCALINGS = [
    Linear(4.0),
    Proportional(3),
    Proportional(16, 8.0),
    Llama3(8.0, 8192, 1.0, 4.0),
    Llama3(32.0, 512, 2.0, 8.0),
    Llama3(16.0, 8192, 1.0, 1.0),
    *(
        Yarn(factor, original, *betas, truncate)
        for factor, original, betas, truncate in itertools.product(
            (1.5, 40.0), (64, 4096), ((32.0, 1.0), (4.0, 3.5)), (True, False)
        )
    ),
    Dynamic(2.0, 2048),
    Longrope(4096, tuple(1 + i / 8 for i in range(32)), tuple(1.0 + i for i in range(32))),
]


@pytest.mark.parametrize("scaling", SCALINGS, ids=str)
@pytest.mark.parametrize("theta", [500000.0, 100.0])
def test_rates(scaling: Scaling, theta: float) -> None:
    found = scaling.numbers(theta, 64)
    assert found == pytest.approx(published_rates(scaling, theta, 64, 1), rel=2e-6)


def test_without_a_scaling_the_rates_fall_to_almost_one_over_the_base() -> None:
    assert rates(10000.0, 4) == pytest.approx([1.0, 0.01])
