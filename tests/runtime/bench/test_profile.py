"""Profiles: where nodes ran, the FLOPs of products, and bytes of weights that are read whole."""

from pathlib import Path

import onnx
import pytest

from compiler.backends.onnx import MODEL
from compiler.runtime.bench.feed import feed
from compiler.runtime.bench.profile import placed, read_profile, weight_bytes
from compiler.runtime.opening import open_session
from compiler.runtime.placed import Placed
from compiler.verify.module import build
from tests.runtime.bench.test_measure import folder, wide
from tests.verify.models import encoder, made

WIDTH, HIDDEN, VOCABULARY, LAYERS = 32, 24, 31, 2
QKV = WIDTH + 2 * WIDTH // 2
MATRICES = WIDTH * (QKV + WIDTH + 3 * HIDDEN)


def test_products_are_counted_as_the_spec_has_them(tmp_path: Path) -> None:
    place = folder(wide(), tmp_path)
    session = open_session(place, threads=1, device="cpu", profile=tmp_path / "run")
    session.run(feed(session, 3, 5, 5))
    (profile,) = session.end_profiles()
    nodes = read_profile(profile)
    head = 2 * 15 * WIDTH * VOCABULARY
    assert {node.provider for node in nodes} == {"CPUExecutionProvider"}
    assert sum(node.operator == "GroupQueryAttention" for node in nodes) == LAYERS
    assert sum(node.flops for node in nodes) == 2 * 15 * LAYERS * MATRICES + head
    assert all(node.flops == 0 for node in nodes if "MatMul" not in node.operator)


def test_what_is_no_node_is_left_out() -> None:
    args = {"op_name": "Add", "provider": "P"}
    events = [
        {"cat": "Session", "name": "model_run", "args": {}},
        {"cat": "Node", "name": "a_kernel_time", "args": args},
        {"cat": "Node", "name": "a_fence_before", "args": {"op_name": "Add"}},
    ]
    assert placed(events) == (Placed("a", "Add", "P", 0),)


def test_tables_of_which_rows_are_read_are_not_read_whole(tmp_path: Path) -> None:
    found = made(encoder())
    parameters = sum(each.numel() for each in build(found.generated).parameters())
    tables = (31 + 3) * 16
    constants = weight_bytes(folder(encoder(), tmp_path) / MODEL) - 4 * (parameters - tables)
    assert 0 <= constants < 4 * 32  # scalars and shapes that the graph itself has


@pytest.mark.parametrize(("kind", "size"), [("INT4", 8), ("UINT8", 15), ("BFLOAT16", 30)])
def test_numbers_of_four_bits_are_two_a_byte(kind: str, size: int, tmp_path: Path) -> None:
    """As ONNX packs them, and other exporters than ours write them."""
    number = getattr(onnx.TensorProto, kind)
    weight = onnx.helper.make_tensor("w", number, [3, 5], bytes(size), raw=True)
    node = onnx.helper.make_node("Identity", ["w"], ["y"])
    given = onnx.helper.make_tensor_value_info("y", number, [3, 5])
    graph = onnx.helper.make_graph([node], "g", [], [given], [weight])
    onnx.save(onnx.helper.make_model(graph), tmp_path / MODEL)
    assert weight_bytes(tmp_path / MODEL) == size
