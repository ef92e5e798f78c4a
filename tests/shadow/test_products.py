"""Products as torch computes them, against what it allocates."""

import pytest

from archspec import load
from compiler.passes.setting import Precision, Setting
from tests.shadow.samples import Sample


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize(("width", "hidden"), [(12, 20), (100, 12)])
def test_all_rows_by_every_map(width: int, hidden: int, precision: Precision, batch: int) -> None:
    """Widths that no grouped product takes; where maps learn, torch copies what they give."""
    moe = {"experts": 4, "top_k": 2, "expert": {"hidden": hidden, "act": "silu"}}
    graph = {
        "tok": {"embed": {"vocab": 50, "dim": width}, "in": "ids"},
        "h": {"moe": moe},
        "y": {"linear": {"dim": 30}},
    }
    sample = Sample(
        load({"name": "mixture", "inputs": {"ids": "tokens"}, "graph": graph}), batch, 9, 9
    )
    setting = Setting(precision)
    assert sample.counted(setting) == sample.measured(setting)
    assert sample.counted_step(setting) == sample.measured_step(setting)
