"""The last position alone: where the cut is, and that its logits are those of all positions."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compiler.backends.onnx import emit
from compiler.passes.last_position import last_position
from compiler.runtime.opening import open_session
from compiler.verify.module import build
from compiler.verify.parity import lazy_weights, onnx_session
from tests.verify.models import decoder, made

PADDED = {**decoder(), "inputs": {"ids": {"tokens": {"padded": True}}}}


def test_what_follows_the_last_mixing_reads_one_position() -> None:
    spec = decoder()
    del spec["graph"]["logits"]
    spec["graph"]["final"] = {"norm": {"rms": 1e-5}}
    spec["graph"]["logits"] = {"unembed": {"vocab": 7, "softcap": 3.0}}
    main = last_position(made(spec).fused).main
    lengths = {
        node.id: str(node.types[0].shape[1]) for node in main if len(node.types[0].shape) > 1
    }
    order = ["h", "h_last", "final", "logits", "logits_capped"]
    assert [lengths[name] for name in order] == ["T", "1", "1", "1", "1"]
    assert list(lengths)[-5:] == order


@pytest.mark.parametrize("spec", [decoder(), PADDED], ids=["plain", "padded"])
def test_its_logits_are_those_of_the_last_real_position(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    found = made(spec)
    model = build(found.generated)
    for name in ("all", "last"):
        (tmp_path / name).mkdir()
    every = onnx_session(found.files, model, tmp_path / "all")
    emit({"model": last_position(found.fused)}, lazy_weights(model.state_dict()), tmp_path / "last")
    last = open_session(tmp_path / "last", device="cpu")
    ids = np.random.default_rng(0).integers(0, 31, (3, 6))
    ends = [6, 4, 1] if "padded" in str(spec) else [6, 6, 6]
    given = {"ids": ids, "ids_mask": np.arange(6) < np.array(ends)[:, None]}
    given = {name: given[name] for name in every.inputs}
    (whole,), (cut,) = every.run(given).values(), last.run(given).values()
    assert cut.shape == (3, 1, 31)
    wanted = np.stack([row[end - 1] for row, end in zip(whole, ends, strict=True)])
    np.testing.assert_allclose(cut[:, 0], wanted, atol=1e-6)


def test_what_is_read_elsewhere_keeps_all_positions() -> None:
    spec = decoder()
    spec["graph"] |= {
        "final": {"norm": {"rms": 1e-5}, "in": "h"},
        "more": {"attention": {"heads": 2, "mask": "causal"}, "in": "final"},
        "logits": {"unembed": {"vocab": 7}, "in": "final"},
    }
    spec["outputs"] = ["logits", "more"]
    main = last_position(made(spec).fused).main
    assert {name: str(main.type(value).shape[1]) for name, value in main.outputs.items()} == {
        "logits": "1",
        "more": "T",
    }
    assert str(main["final"].types[0].shape[1]) == "T"
