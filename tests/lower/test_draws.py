"""Tables under `init: xavier`: rows of unit length, and so a first loss of about ln V + 1/2."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from compiler.importers.draw import draw
from compiler.verify.module import build
from tests.parity.ours import spec

V, D = 3000, 64
SIZES: dict[str, Any] = {"vocab": V, "d_model": D, "n_layers": 2, "n_heads": 4, "d_ff": 128}
SPECS = ("encoder-decoder/transformer-base.yaml", "history/10-pre-norm.yaml")


@pytest.mark.parametrize("name", SPECS)
def test_a_table_has_the_deviation_of_its_width(name: str) -> None:
    """Both as the generated source draws it and as weights are drawn for a build."""
    made = spec(name, **SIZES)
    torch.manual_seed(0)
    ours = build(made.generated).get_parameter("src.tokens.weight").detach().numpy()
    rule = made.program.parameters()["src.tokens.weight"].init
    for table in (ours, draw("src.tokens.weight", (V, D), rule)):
        assert abs(table.std() / D**-0.5 - 1) < 5 / math.sqrt(2 * V * D)
        assert abs(np.square(table).sum(axis=1).mean() - 1) < 5 * math.sqrt(2 / D / V)


@pytest.mark.parametrize("name", SPECS)
def test_the_first_loss_is_that_of_logits_of_variance_one(name: str) -> None:
    """Behind a norm x·x = D, so a logit, x times a row, is normal with variance 1, and
    E[ln Σ exp] = ln V + 1/2 (the mean of a log-normal)."""
    torch.manual_seed(1)
    model = build(spec(name, **SIZES, defaults__dropout=0.0).generated).eval()
    source, target = torch.randint(V, (2, 20, 16))
    with torch.no_grad():
        logits = model(source, torch.ones_like(source, dtype=torch.bool), target[:, :-1])
    assert abs(logits.var().item() - 1) < 0.1
    loss = functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
    assert abs(loss.item() - math.log(V) - 0.5) < 0.25


def test_other_tables_follow_the_same_rule() -> None:
    """Learned positions and class tokens of an image are as wide and drawn alike."""
    made = spec("vision/vit-b16-cls.yaml", d_model=48, n_layers=1, n_heads=4, d_ff=64, image=64)
    rules = {path: found.init for path, found in made.program.parameters().items()}
    found = {path: rule for path, rule in rules.items() if path.startswith("x.")}
    tables = [rule for path, rule in found.items() if rule.kind == "normal"]
    assert len(tables) == 2
    assert all(rule.a == pytest.approx(48**-0.5) for rule in tables), found
