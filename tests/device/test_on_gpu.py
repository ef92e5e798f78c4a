"""Models in 16 bits on a device against torch: parity, steps, and large activations.

What a CPU can compute of it is computed there too, so that the questions themselves are tested.
"""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import pytest

from compiler.backends.onnx import emit
from compiler.ir.target import Precision, Target
from compiler.runtime.cuda import Device
from compiler.runtime.opening import open_session
from compiler.runtime.session import Session
from compiler.verify.compiled import Compiled
from compiler.verify.deviation import deviation_of
from compiler.verify.module import build, shake
from compiler.verify.parity import lazy_weights, outputs
from tests.device.on_gpu import on_gpu
from tests.generated.samples import small

BARS: Final[Mapping[str, float]] = {"fp32": 1e-4, "fp16": 0.01, "bf16": 0.08}
"""How far a model of two layers may be from torch in float32, relative to all its outputs."""
SPECS: Final = (
    *("decoder/gpt2", "decoder/llama3-8b", "decoder/gemma2-2b", "decoder/mixtral-8x7b"),
    *("decoder/deepseek-v2-lite", "encoder/bert-base", "encoder-decoder/t5-small"),
    *("encoder-decoder/whisper-tiny", "multimodal/clip-b32", "vision/vit-b16-cls"),
)


def session_of(
    made: Compiled, model: Any, folder: Path, precision: Precision, device: Device, **options: str
) -> Session:
    weights = lazy_weights(model.state_dict())
    emit(made.files, weights, folder, target=Target("cuda", precision))
    (folder / "manifest.json").write_text(f'{{"model": {{"precision": "{precision}"}}}}')
    return open_session(folder, threads=1, device=device, options=options)


def compare(name: str, folder: Path, precision: Precision, device: Device) -> None:
    made = small(f"specs/{name}.yaml")
    model = build(made.generated)
    shake(model)
    session = session_of(made, model, folder, precision, device)
    pairs = [(a, b) for both in outputs(made, model, session) for a, b in zip(*both, strict=True)]
    assert deviation_of(pairs).relative < BARS[precision]


@on_gpu
@pytest.mark.parametrize("precision", BARS)
@pytest.mark.parametrize("name", SPECS)
def test_a_device_computes_what_torch_does(name: str, precision: str, tmp_path: Path) -> None:
    compare(name, tmp_path, cast(Precision, precision), "cuda")


@pytest.mark.parametrize("name", ["decoder/gpt2", "encoder/bert-base", "vision/vit-b16-cls"])
def test_a_cpu_computes_it_in_fp16(name: str, tmp_path: Path) -> None:
    compare(name, tmp_path, "fp16", "cpu")


def stepped(session: Session, ids: Any) -> Any:
    """The logits of every position [B, T, V], one step after the other, in buffers."""
    found, past = [], session.buffers(len(ids), ids.shape[1])
    for end in range(1, ids.shape[1] + 1):
        given = {"ids": ids[:, end - 1 : end], "ids_mask": np.ones((len(ids), end), np.int64)}
        outputs, _ = session.step(given, past)
        found.append(outputs["logits"].copy())
    return np.concatenate(found, axis=1)


def compare_steps(folder: Path, precision: Precision, device: Device) -> None:
    """Steps, captured where a device does that, against a whole sequence in torch."""
    import torch

    made = small("specs/decoder/llama3-8b.yaml")
    model = build(made.generated)
    shake(model)
    ids = np.random.default_rng(0).integers(0, 50, (2, 12))
    session = session_of(made, model, folder, precision, device)
    assert session.captures == (device == "cuda")
    with torch.no_grad():
        wanted = model(torch.from_numpy(ids))
    for _ in range(2):
        pair = torch.from_numpy(stepped(session, ids)).float(), wanted
        assert deviation_of([pair]).relative < BARS[precision]


def compare_halves(name: str, folder: Path, precision: Precision, device: Device) -> None:
    """Ours and torch's own in the same numbers on the same device, both against float32."""
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip(f"torch {torch.__version__} has no CUDA")
    made = small(f"specs/decoder/{name}.yaml")
    model = build(made.generated)
    shake(model)
    ids = np.random.default_rng(0).integers(0, 50, (2, 12))
    numbers = {"fp16": torch.float16, "bf16": torch.bfloat16}[precision]
    session = session_of(made, model, folder, precision, device)
    found = session.run({"ids": ids, "ids_mask": np.ones_like(ids)})["logits"]
    with torch.no_grad():
        wanted = model(torch.from_numpy(ids))
        half = deepcopy(model).to(device, numbers)
        theirs = half(torch.from_numpy(ids).to(device)).float().cpu()
    ours, theirs = (deviation_of([(x, wanted)]).relative for x in (torch.from_numpy(found), theirs))
    assert ours < 3 * theirs + 1e-3


@on_gpu
@pytest.mark.parametrize("precision", ["fp16", "bf16"])
@pytest.mark.parametrize("name", ["gpt2", "llama3-8b"])
def test_a_device_is_as_near_as_torch_on_it(name: str, precision: str, tmp_path: Path) -> None:
    compare_halves(name, tmp_path, cast(Precision, precision), "cuda")


def test_a_cpu_is_as_near_as_torch_on_it(tmp_path: Path) -> None:
    compare_halves("gpt2", tmp_path, "fp16", "cpu")


@on_gpu
@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_captured_steps_are_those_of_torch(precision: str, tmp_path: Path) -> None:
    compare_steps(tmp_path, cast(Precision, precision), "cuda")


def test_steps_on_a_cpu_are_too(tmp_path: Path) -> None:
    compare_steps(tmp_path, "fp16", "cpu")


def compare_large(folder: Path, device: Device) -> None:
    """A residual stream of thousands, whose squares no fp16 holds, in a norm of a sum."""
    import torch

    made = small("specs/decoder/llama3-8b.yaml")
    model = build(made.generated)
    shake(model)
    state = model.state_dict()
    (table,) = [name for name in state if "tok" in name]
    state[table] = 3000 * torch.sign(state[table])
    model.load_state_dict(state)
    ids = np.random.default_rng(0).integers(0, 50, (1, 9))
    with torch.no_grad():
        wanted = model(torch.from_numpy(ids))
    session = session_of(made, model, folder, "fp16", device)
    mask = np.ones_like(ids)
    found = session.run({"ids": ids, "ids_mask": mask})["logits"]
    assert np.isfinite(found).all()
    pair = torch.from_numpy(found), wanted
    assert deviation_of([pair]).relative < 2 * BARS["fp16"]


@on_gpu
def test_large_activations_do_not_overflow(tmp_path: Path) -> None:
    compare_large(tmp_path, "cuda")


def test_nor_do_they_on_a_cpu(tmp_path: Path) -> None:
    compare_large(tmp_path, "cpu")
