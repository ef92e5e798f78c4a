"""What is kept beside `GroupQueryAttention`: written in place where there is room for it."""

from pathlib import Path

import numpy as np
import pytest

from compiler.backends.onnx import emit
from compiler.backends.onnx.walk import unrolled
from compiler.ir.target import Target
from compiler.runtime.opening import open_session
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights
from tests.backends.onnx.seen_cases import MIXED, compiled


@pytest.mark.parametrize("name", MIXED)
def test_a_cpu_copies_a_cache_only_to_make_it_longer(name: str) -> None:
    """Every input of what is kept goes into a kernel that writes in place: grouped attention, or
    the one node of a choice that takes it as it is."""
    listing = unrolled(compiled(name).whole, Target("cpu"))
    choices = [step for step in listing.flat() if step.kind == "If"]
    kept = {step.graphs["else_branch"].steps[0].inputs[0] for step in choices}
    for step in choices:
        (written,) = step.graphs["else_branch"].steps
        longer, again = step.graphs["then_branch"].steps[-2:]
        assert [written.kind, longer.kind, again.kind] == [
            "ScatterElements",
            "Concat",
            "ScatterElements",
        ]
        assert longer.inputs[0] == written.inputs[0]
        assert step.outputs[0] in listing.present
    grouped = [step for step in listing.flat() if step.kind == "GroupQueryAttention"]
    inside = {each for step in grouped for each in step.inputs[3:5]}
    assert kept | inside == set(listing.past)
    assert not kept & inside


def test_a_device_captures_no_choice() -> None:
    for target in (Target("cuda", "bf16"), Target()):
        kinds = {step.kind for step in unrolled(compiled("wide values").whole, target).flat()}
        assert "If" not in kinds


@pytest.mark.parametrize("name", ["wide values", "rows"])
def test_a_step_leaves_the_other_slots_as_they_are(name: str, tmp_path: Path) -> None:
    found = compiled(name)
    weights = lazy_weights(build(found.generated).state_dict())
    emit(found.files, weights, tmp_path, target=Target("cpu"))
    session = open_session(tmp_path, device="cpu")
    buffers = session.buffers(1, 9)
    places = {each: value.data_ptr() for each, value in buffers.values.items()}
    for value in buffers.values.values():
        value.update_inplace(np.full(value.shape(), 7, np.float32))
    ids = np.array([[3, 1, 4, 1, 5]])
    session.step({"ids": ids, "ids_mask": np.ones((1, 5), np.int64)}, buffers)
    session.step({"ids": ids[:, :1], "ids_mask": np.ones((1, 6), np.int64)}, buffers)
    for each, value in buffers.values.items():
        new = np.moveaxis(value.numpy(), -2, 0)
        assert value.data_ptr() == places[each]
        assert (new[6:] == 7).all()
        assert (new[:6] != 7).all()
