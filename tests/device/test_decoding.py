"""Steps on a pretended device: started once, captured, and then repeated as a whole."""

from pathlib import Path
from typing import Any

import pytest

from compiler.ir.target import Precision, Target
from tests.device.pretended import ask, can_pretend
from tests.device.test_loading import emitted


def asked(libraries: Path, folder: Path, options: dict[str, str]) -> dict[str, Any]:
    question = {"folder": str(folder), "options": options}
    (found,) = ask(libraries, "tests.device.decoding", [question])
    assert found["device"] == "cuda"
    return dict(found)


@can_pretend
@pytest.mark.parametrize(
    ("name", "precision", "kind"),
    [
        ("llama3-8b", "bf16", "tensor(bfloat16)"),
        ("gpt2", "fp16", "tensor(float16)"),
        ("gemma2-2b", "bf16", "tensor(bfloat16)"),
    ],
)
def test_a_step_is_captured_once_and_repeated(
    name: str, precision: Precision, kind: str, tmp_path: Path, libraries: Path
) -> None:
    folder = tmp_path / name
    emitted(f"specs/decoder/{name}.yaml", Target("cuda", precision), folder)
    found = asked(libraries, folder, {})
    captured = 0
    for which in ("first", "second", "other"):
        sequence = found[which]
        prompt, *steps = sequence["counts"]
        assert sequence["stays"] and sequence["kinds"] == [kind]
        assert prompt["captures"] == captured, "a prompt is not captured"
        captured += which != "second"  # which is as long as the first and goes on in its place
        assert {step["captures"] for step in steps} == {captured}
        started = [step["launches"] for step in steps]
        assert len(set(started)) == 1, "after the first step no kernel is started by itself"
        repeats = [step["repeats"] for step in steps]
        assert repeats == list(range(repeats[0], repeats[0] + len(steps)))
    assert found["new"] == [1, 1, 1]
    assert found["without"]["launches"] > 0
    assert (found["without"]["captures"], found["without"]["repeats"]) == (0, 0)


@can_pretend
def test_nothing_is_captured_where_somebody_says_so(tmp_path: Path, libraries: Path) -> None:
    emitted("specs/decoder/gpt2.yaml", Target("cuda", "fp16"), tmp_path / "gpt2")
    found = asked(libraries, tmp_path / "gpt2", {"enable_cuda_graph": "0"})
    assert found["captures"] is False
    counts = found["first"]["counts"]
    assert [each["captures"] for each in counts] == [0] * len(counts)
    started = [each["launches"] for each in counts]
    assert started == sorted(set(started)) and found["first"]["stays"]


@can_pretend
def test_what_copies_in_a_step_is_not_captured(tmp_path: Path, libraries: Path) -> None:
    path = "specs/history/13-mixture-of-experts.yaml"
    emitted(path, Target("cuda", "fp16"), tmp_path / "mixture")
    assert asked(libraries, tmp_path / "mixture", {})["captures"] is False


@can_pretend
@pytest.mark.parametrize(
    ("name", "precision", "captured"),
    [
        ("encoder-decoder/t5-small", "bf16", True),
        ("encoder-decoder/bart-base", "fp16", True),
        ("decoder/deepseek-v2-lite", "bf16", False),
    ],
)
def test_what_an_encoder_made_and_a_growing_cache_stay_on_the_device(
    name: str, precision: Precision, captured: bool, tmp_path: Path, libraries: Path
) -> None:
    """In bfloat16 they could not leave it: numpy has no such numbers."""
    emitted(f"specs/{name}.yaml", Target("cuda", precision), tmp_path / "model")
    (found,) = ask(libraries, "tests.device.continuing", [str(tmp_path / "model")])
    assert found["device"] == "cuda"
    assert [shape[0] for shape in found["shapes"]] == [2] * 4
    assert found["captures"] == captured
    assert found["repeats"] == (3 if captured else 0)
