from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from compiler.importers.finite import not_finite
from compiler.importers.lazy import Lazy
from tests.importers.samples import counted, held

PATH = Path("m.safetensors")


def test_finite_weights_say_nothing() -> None:
    assert not_finite(held({"a": counted(5, 2), "none": counted(0)}), PATH) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_single_number_is_found_and_named(value: float) -> None:
    tensor = counted(3000, 3)
    tensor[2999, 2] = value
    problem = not_finite(held({"fine": counted(2), "h.0.q.weight": tensor}), PATH)
    assert problem is not None
    assert (problem.code, problem.severity) == ("AR0713", "error")
    assert "`h.0.q.weight`" in problem.help
    assert "fine" not in problem.help


def test_bfloat16_is_looked_at_as_numbers() -> None:
    words = np.array([1.0, np.nan], ml_dtypes.bfloat16).view(np.uint16)
    assert not_finite({"a": Lazy((2,), "BF16", lambda: words)}, PATH) is not None
