"""What CUDA's provider is told: by precision, by a folder, by a user, in this order."""

from pathlib import Path
from typing import Any

import pytest

from compiler.answer import CannotAnswer
from compiler.backends.onnx import MODEL
from compiler.runtime import opening
from compiler.runtime.opening import open_session
from compiler.runtime.providers import usual_options


class ToldError(Exception):
    """What a session was to be made with."""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Providers of every session that is made, as if there were a device."""
    import onnxruntime

    found: list[Any] = []

    def session(
        path: Path, options: Any, providers: Any, enable_fallback: int, disabled_optimizers: Any
    ) -> Any:
        assert enable_fallback == 0
        found.append(providers)
        if providers[0][1].get("enable_cuda_graph") == "1":
            raise RuntimeError("This session cannot use the graph capture feature as requested")
        raise ToldError

    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    monkeypatch.setattr(opening, "has_cuda_device", lambda: True)
    monkeypatch.setattr(opening, "obstacle", lambda: "")
    monkeypatch.setattr(opening, "compute_capability", lambda: (7, 5))
    return found


def folder_of(folder: Path, precision: str, config: str = "{}", shares: bool = False) -> Path:
    (folder / MODEL).write_bytes(b"archc.shares" if shares else b"")
    (folder / "manifest.json").write_text(f'{{"model": {{"precision": "{precision}"}}}}')
    (folder / "genai_config.json").write_text(config)
    return folder


def test_norms_are_strict_in_fp16_alone() -> None:
    strict = "enable_skip_layer_norm_strict_mode"
    assert usual_options("fp16")[strict] == "1"
    assert not any(strict in usual_options(each) for each in ("fp32", "bf16", "int4", "int8", ""))
    assert usual_options("fp32")["use_tf32"] == "0"


def test_a_user_has_the_last_word(tmp_path: Path, told: list[Any]) -> None:
    config = '{"model": {"decoder": {"session_options": {"provider_options": [{"cuda": %s}]}}}}'
    said = '{"arena_extend_strategy": "kNextPowerOfTwo", "gpu_mem_limit": 5}'
    folder = folder_of(tmp_path, "fp16", config % said)
    with pytest.raises(CannotAnswer, match="cannot load"):
        open_session(folder, options={"gpu_mem_limit": "7"})
    (((provider, options), cpu),) = told
    assert (provider, cpu) == ("CUDAExecutionProvider", "CPUExecutionProvider")
    assert options == {
        "arena_extend_strategy": "kNextPowerOfTwo",
        "cudnn_conv_algo_search": "HEURISTIC",
        "enable_skip_layer_norm_strict_mode": "1",
        "gpu_mem_limit": "7",
    }


def test_steps_are_captured_where_they_can_be(tmp_path: Path, told: list[Any]) -> None:
    with pytest.raises(CannotAnswer, match="cannot load"):
        open_session(folder_of(tmp_path, "fp16", shares=True))
    assert [options.get("enable_cuda_graph") for ((_, options), _) in told] == ["1", None]


def test_who_asks_for_it_is_told_that_they_cannot(tmp_path: Path, told: list[Any]) -> None:
    with pytest.raises(CannotAnswer, match="graph capture") as caught:
        open_session(folder_of(tmp_path, "fp16"), options={"enable_cuda_graph": "1"})
    assert len(told) == 1 and "options of the provider" in caught.value.help


@pytest.mark.parametrize("precision", ["bf16", "int4", "int8"])
def test_bfloat16_wants_a_newer_device(precision: str, tmp_path: Path, told: list[Any]) -> None:
    with pytest.raises(CannotAnswer, match=r"bf16, and this GPU, of compute capability 7\.5"):
        open_session(folder_of(tmp_path, precision))
    assert told == []


def test_options_without_a_device_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "has_cuda_device", lambda: False)
    with pytest.raises(CannotAnswer, match="for CUDA, and the model runs on the CPU"):
        open_session(folder_of(tmp_path, "fp16"), options={"gpu_mem_limit": "7"})
