import math

import pytest
import torch

from compiler.verify.deviation import deviation_of


def test_the_deviation_is_that_of_all_outputs_together() -> None:
    a, b = torch.tensor([[3.0, 4.0]]), torch.tensor([[4.0, 3.0]])
    found = deviation_of([(a, b), (b, b)])
    assert found.relative == pytest.approx(math.sqrt(2 / 50))
    assert found.cosine == pytest.approx((24 / 25 + 1) / 2)
    assert math.isinf(deviation_of([(a * math.nan, b)]).relative)
