"""The ruler for peers: bars, tables, and the products that a processor is judged by."""

import numpy as np
import onnx
import onnxruntime
import pytest

from tests.bench.peers.products import KINDS, Shapes, model
from tests.bench.peers.verdict import Bar, table

SHAPES = Shapes(2, ((128, 256), (256, 128)))


@pytest.mark.parametrize(
    ("bar", "holds"),
    [
        (Bar("a", 2.0, least=2), True),
        (Bar("a", 1.99, least=2), False),
        (Bar("a", 1.1, most=1.1), True),
        (Bar("a", 1.11, most=1.1), False),
    ],
)
def test_a_bar_holds_at_its_edge_and_not_beyond(bar: Bar, holds: bool) -> None:
    assert bar.holds == holds
    assert bar.row()[-1] == ("holds" if holds else "missed")


def test_a_table_is_as_wide_as_its_cells() -> None:
    assert table(("who", "ms"), [("archc", "1"), ("x", "22")]).splitlines() == [
        "| who   | ms |",
        "| ----- | -: |",
        "| archc |  1 |",
        "| x     | 22 |",
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_product_runs_at_its_shapes(kind: str) -> None:
    session = onnxruntime.InferenceSession(model(SHAPES, kind), providers=["CPUExecutionProvider"])
    given = {f"x{width}": np.ones((2, width), np.float32) for width in (128, 256)}
    assert [each.shape for each in session.run(None, given)] == [(2, 256), (2, 128)]


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_products_have_the_same_weights(kind: str) -> None:
    made = onnx.load_model_from_string(model(Shapes(1, ((128, 256),) * 2), kind))
    first, second = (each for each in made.graph.initializer if each.name in ("w0.0", "w1.0"))
    assert first.raw_data != second.raw_data
