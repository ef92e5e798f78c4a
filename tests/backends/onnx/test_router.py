"""A router's shares in ONNX where every expert scores low, against sigmoids in float64."""

from pathlib import Path

import numpy as np
import pytest

from compiler.ir.letters import Letters
from compiler.ir.size import letter
from compiler.ir.types import TensorType
from compiler.ops import Router
from tests.backends.onnx.built import build, single

LOGITS = ((2.0, 1.0, 0.5), (-9.5, -10.0, -11.0), (-15.0, -16.0, -17.0), (-30.0, -31.0, -33.0))
"""The last rows are where the runtime's own sigmoid is a few steps wide, and where it is zero."""


@pytest.mark.parametrize("logits", LOGITS, ids=lambda row: f"about {row[0]:g}")
def test_shares_of_a_sum_are_as_precise_where_all_scores_are_low(
    tmp_path: Path, logits: tuple[float, ...]
) -> None:
    router = Router(3, 2, score="sigmoid", renorm=True)
    entry = TensorType("float", (letter("B"), letter("T"), 3))
    program = single(router, [entry], Letters(), ["share", "expert"])
    built = build(program, {"op.weight": np.eye(3, dtype="f4")}, tmp_path)
    found = built.run(x=np.array([[logits]], "f4"))
    scores = 1 / (1 + np.exp(-np.array(logits[:2], np.float64)))
    np.testing.assert_array_equal(found["expert"], [[[0, 1]]])
    np.testing.assert_allclose(found["share"][0, 0], scores / scores.sum(), rtol=1e-5)
