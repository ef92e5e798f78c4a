"""Every spec for CUDA in every precision, as ONNX Runtime itself takes it on a pretended device."""

import json
import shutil
from pathlib import Path
from typing import Any, Final, get_args

import pytest

import archspec
from compiler.backends.onnx import ENCODER, MODEL, emit
from compiler.backends.onnx.folded import folded
from compiler.backends.onnx.missing import missing
from compiler.cli.target import target_of
from compiler.ir.target import Precision, Target
from compiler.passes.served import served
from compiler.runtime.cuda import obstacle
from compiler.verify.compiled import Compiled, compiled
from tests.backends.onnx.built import lazy, random_weights
from tests.device.pretended import ask, can_pretend
from tests.generated.samples import DECODERS, small
from tests.shipped import DISTINCT, ROOT

ON_THE_HOST: Final = {"Add", "Cast", "Concat", "Gather", "Mul", "Range", "Sub", "Squeeze"} | {
    "Unsqueeze",
    "Div",
}
"""What computes with lengths, which a device has on the host."""
WHOLE_NUMBERS: Final = {"ArgMax", "Pad"}
"""Operators with whole numbers that CUDA has no kernels for."""
WITH_COPIES: Final = {"08-masks-segments", "13-mixture-of-experts"}
"""Decoders with lengths of segments, or with experts that are not gated: the host looks at them."""
NO_CUDNN: Final = "cuDNN is unavailable"
"""What the pretended device says to recurrences, whose kernels are cuDNN's."""
OF_CUDNN: Final = {
    *("decoder/deepseek-v2", "decoder/gpt-oss-20b", "encoder-decoder/whisper-tiny"),
    *("history/01-seq2seq", "history/01-seq2seq-gru", "history/02-bahdanau-final"),
    *("history/02-bahdanau-projected", "history/02-bahdanau-zeros", "history/03-luong-dot"),
    *("history/03-luong-general", "history/03-luong-scaled", "history/04-dot-product-attention"),
    *("history/05-attention-layer", "history/06-self-attention", "history/07-positions-concat"),
    *("history/07-positions-learned", "history/07-positions-rotary", "history/09-multi-head"),
    *("history/07-positions-sinusoid", "history/08-masks-segments", "history/12-vit"),
    *("history/14-primitives-attention", "history/14-primitives-convolution"),
    *("history/14-primitives-recurrence", "multimodal/clip-b32", "multimodal/siglip-b16"),
    *("vision/beit-b16", "vision/dinov2-base", "vision/dinov2-giant", "vision/vit-b16-cls"),
    "vision/vit-b16-mean",
}
"""Specs with convolutions, recurrences or reductions that cuDNN does."""
COUNTED: Final = {
    *("decoder/deepseek-v2-lite", "decoder/deepseek-v3", "decoder/gpt-oss-20b"),
    *("decoder/mixtral-8x7b", "decoder/olmoe-1b-7b", "decoder/qwen1.5-moe-a2.7b"),
    *("decoder/qwen3-30b-a3b", "history/13-mixture-of-experts"),
}
"""Specs with experts, whose rows a kernel counts: here in any number."""
LACKING: Final = {NO_CUDNN: OF_CUDNN, "CUDADriverWrapper": OF_CUDNN, "running Split node": COUNTED}
"""What it says in runs, some of it of kernels that are loaded as files, and of which specs."""


def emitted(path: str, target: Target, folder: Path) -> list[str]:
    """The model files of a spec's small sibling; none where the build would refuse the target."""
    found = small(path)
    programs = served(found.fused).values()
    gaps = [gap for each in programs for gap in missing(folded(each, target), target)]
    if any(gap.instead is None for gap in gaps):
        return []
    folder.mkdir(parents=True)
    weights = {name: lazy(array) for name, array in random_weights(found.whole).items()}
    emit(found.files, weights, folder, target=target)
    about = {"model": {"precision": target.precision}}
    (folder / "manifest.json").write_text(json.dumps(about), encoding="utf-8")
    return [str(each) for each in sorted(folder.glob("*.onnx"))]


def refused(path: str, found: dict[str, Any]) -> str | None:
    """Why a file is not loaded, but for what the device lacks."""
    why: str | None = found.get("refused")
    return None if why is None or (NO_CUDNN in why and "/history/" in path) else why


def lacks(path: str, why: str) -> bool:
    """Whether a model does not run because of what the device lacks, and may."""
    name = path.removeprefix("specs/").removesuffix(".yaml")
    return any(lack in why and name in may for lack, may in LACKING.items())


@can_pretend
@pytest.mark.parametrize("precision", get_args(Precision))
def test_every_spec_is_taken_and_runs(
    precision: Precision, tmp_path: Path, libraries: Path
) -> None:
    """In runs the kernels look at every shape and size, and say what they do not do."""
    target = Target("cuda", precision)
    files = [
        (path, file) for path in DISTINCT for file in emitted(path, target, tmp_path / path[:-5])
    ]
    assert len({path for path, _ in files}) > 0.8 * len(DISTINCT)
    answers = ask(libraries, "tests.device.loading", [(file, {}) for _, file in files])
    told = [(path, found) for (path, _), found in zip(files, answers, strict=True)]
    assert [(path, why) for path, found in told if (why := refused(path, found))] == []
    for path, found in told:
        assert set(found.get("on_cpu", ())) <= ON_THE_HOST | WHOLE_NUMBERS, path
    folders = {str(Path(file).parent): path for path, file in files}
    faults = ask(libraries, "tests.device.running", list(folders))
    found_out = zip(folders.values(), faults, strict=True)
    assert [(path, why) for path, why in found_out if why and not lacks(path, why)] == []


@can_pretend
@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_steps_of_decoders_can_be_captured(
    precision: Precision, tmp_path: Path, libraries: Path
) -> None:
    """A graph of launches has no copies between devices, which a host would have to make."""
    target = Target("cuda", precision)
    files = [
        file
        for path in DECODERS
        for file in emitted(path, target, tmp_path / path[:-5])
        if Path(file).name != ENCODER and b"archc.shares" in Path(file).read_bytes()
    ]
    assert len(files) > 40
    question = [(file, {"enable_cuda_graph": "1"}) for file in files]
    answers = ask(libraries, "tests.device.loading", question)
    copied = {
        Path(file).parent.name
        for file, found in zip(files, answers, strict=True)
        if "refused" in found
    }
    assert copied == WITH_COPIES


@can_pretend
@pytest.mark.skipif(not obstacle(), reason="CUDA's libraries are here")
def test_a_driver_alone_runs_nothing_and_that_is_said(tmp_path: Path, libraries: Path) -> None:
    """ONNX Runtime makes a session of the CPU then, whatever it was asked for."""
    emitted("specs/decoder/gpt2.yaml", Target("cuda", "fp16"), tmp_path / "gpt2")
    (tmp_path / "alone").mkdir()
    shutil.copy(libraries / "libcuda.so.1", tmp_path / "alone")
    (why,) = ask(tmp_path / "alone", "tests.device.running", [str(tmp_path / "gpt2")])
    assert "cannot use the CUDA device here: lib" in why


@can_pretend
def test_an_option_that_the_provider_does_not_know_is_refused(
    tmp_path: Path, libraries: Path
) -> None:
    (file,) = emitted("specs/decoder/gpt2.yaml", Target("cuda", "fp16"), tmp_path / "gpt2")
    options: list[dict[str, str]] = [{"nonsense": "1"}, {"arena_extend_strategy": "some"}]
    for found in ask(libraries, "tests.device.loading", [(file, each) for each in options]):
        assert "refused" in found


@can_pretend
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("mixtral-8x7b", ("d_model=64", "n_heads=4", "n_kv_heads=2", "d_ff=128")),
        ("gpt-oss-20b", ("d_model=192", "n_heads=4", "n_kv_heads=2", "d_head=16", "d_ff=192")),
    ],
)
def test_a_mixture_in_integers_is_one_node_that_can_be_captured(
    name: str, sizes: tuple[str, ...], tmp_path: Path, libraries: Path
) -> None:
    """`int4:32`: blocks of 32 divide what blocks of 128 do not, as gpt-oss's 2,880."""
    patches = ["vocab=90", "n_layers=1", *sizes]
    made = compiled(archspec.load(ROOT / f"specs/decoder/{name}.yaml", set=patches))
    assert isinstance(made, Compiled)
    weights = {name: lazy(array) for name, array in random_weights(made.whole).items()}
    emit(made.files, weights, tmp_path, target=target_of("cuda", "int4:32"))
    file = tmp_path / MODEL
    assert b"QMoE" in file.read_bytes()
    question = [(str(file), {"enable_cuda_graph": "1"})]
    (found,) = ask(libraries, "tests.device.loading", question)
    assert "refused" not in found, found
    assert found["copies"] == []
