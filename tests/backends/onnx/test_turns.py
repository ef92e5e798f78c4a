"""Scaled rotary angles in ONNX Runtime against transformers, short and long sequences."""

from pathlib import Path

import numpy as np
import pytest

import compiler.ops as ops
from compiler.ops.rope_by_length import Dynamic, Longrope
from compiler.ops.rope_scaling import Linear, Llama3, Proportional, Scaling, Yarn
from tests.backends.onnx.built import build
from tests.backends.onnx.test_heads import B, Net, T
from tests.ops.published_rates import published_rates

SCALINGS = [
    Linear(4.0),
    Proportional(2, 3.0),
    Llama3(8.0, 32, 1.0, 4.0),
    Yarn(4.0, 64, 8.0, 1.0, True),
    Dynamic(4.0, 5),
    Longrope(5, (1.0, 1.1, 1.2, 1.3), (2.0, 3.0, 4.0, 5.0)),
]
GAIN = 1.25


@pytest.mark.parametrize("placed", [False, True])
@pytest.mark.parametrize("scaling", SCALINGS, ids=lambda s: type(s).__name__)
def test_rotation(scaling: Scaling, placed: bool, tmp_path: Path) -> None:
    """Each pair is a complex number that is multiplied with gain · exp(i · place · rate)."""
    net = Net()
    if placed:
        place = net.enter("place", B, T, element="int")
        (angle,) = net.op("angle", ops.PlacedAngles(8, 50.0, scaling=scaling), place)
    else:
        x = net.enter("x", B, T, 6)
        (angle,) = net.op("angle", ops.RopeAngles(8, 50.0, scaling=scaling), x, None)
    (y,) = net.op("turn", ops.Rotate(placed=placed, gain=GAIN), net.heads("q", T, 3, 8), angle)
    built = build(net.returns({"y": net.op("merge", ops.MergeHeads(), y)[0]}), {}, tmp_path)
    rng = np.random.default_rng(0)
    for batch, length in ((1, 2), (2, 5), (2, 6), (3, 11)):
        q = rng.normal(size=(batch, length, 3, 8))
        places = np.broadcast_to(np.arange(length), (batch, length))
        places = places[:, ::-1].copy() if placed else places
        other = {"place": places} if placed else {"x": np.zeros((batch, length, 6), "f4")}
        rates = np.array(published_rates(scaling, 50.0, 8, length))
        turn = GAIN * np.exp(1j * places[..., None, None] * rates)
        wanted = (q[..., :4] + 1j * q[..., 4:]) * turn
        found = built.run(q=q.reshape(batch, length, 24).astype("f4"), **other)["y"]
        found = found.reshape(batch, length, 3, 8)
        np.testing.assert_allclose(found[..., :4], wanted.real, atol=5e-6)
        np.testing.assert_allclose(found[..., 4:], wanted.imag, atol=5e-6)
