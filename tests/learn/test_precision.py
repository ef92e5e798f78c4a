"""A GPT that has learned a text is rounded to integers, and reads the tenth that it did not see."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

import archspec
from compiler.ir.integers import Integers
from compiler.ir.target import Choice, Target
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.parity import onnx_session
from tests.learn.generated import SPECS
from tests.learn.sizes import SMALL, Speech
from tests.learn.speech import CONTEXT, LETTERS, TEXT, ids, learn, windowed

WORST: Final[Mapping[str, tuple[Target, float]]] = {
    "fp32": (Target("cpu"), 1e-5),
    "int8": (Target("cpu", "int8"), 0.005),
    "int4": (Target("cpu", "int4"), 0.05),
    "int4 symmetric": (
        Target("cpu", choices=(Choice("*", Integers(4, 32, "symmetric")),)),
        0.1,
    ),
    "int4 zero-point": (
        Target("cpu", choices=(Choice("*", Integers(4, 32, "zero-point")),)),
        0.1,
    ),
}
"""Nats a letter by which the loss may be worse than that of PyTorch in float32."""


def loss(made: Compiled, model: nn.Module, target: Target, folder: Path) -> float:
    """Cross entropy of each next unread letter in ONNX Runtime."""
    folder.mkdir()
    session = onnx_session(made.files, model, folder, target)
    windows = windowed(ids(TEXT[len(TEXT) * 9 // 10 :]))
    (name,) = (each for each in session.inputs if not each.endswith("_mask"))
    given: dict[str, Any] = {name: windows[:, :-1].numpy()}
    masks = [each for each in session.inputs if each.endswith("_mask")]
    given |= {each: np.ones((len(windows), CONTEXT), bool) for each in masks}
    logits = torch.from_numpy(next(iter(session.run(given).values())))
    return float(functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten()))


@pytest.mark.slow
def test_what_was_learned_survives_rounding(tmp_path: Path) -> None:
    lesson = SMALL["speech"]
    assert isinstance(lesson, Speech)
    said = learn(lesson.steps, lesson.width, lesson.layers)
    sizes = {
        "vocab": len(LETTERS),
        "d_model": lesson.width,
        "n_layers": lesson.layers,
        "n_heads": 4,
        "max_len": CONTEXT,
    }
    settings = [f"{name}={size}" for name, size in sizes.items()]
    made = compiled(archspec.load(SPECS / "11-gpt-ladder.yaml", set=settings))
    assert isinstance(made, Compiled)
    worse = {
        name: loss(made, said.model, target, tmp_path / name) - said.unread
        for name, (target, _) in WORST.items()
    }
    print({name: round(found, 5) for name, found in worse.items()})
    assert all(abs(worse[name]) <= most for name, (_, most) in WORST.items()), worse
    assert abs(worse["int8"]) < worse["int4 symmetric"]
