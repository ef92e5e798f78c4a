"""What tensors come to, held against torch itself on fake tensors, to the byte."""

import pytest

from compiler.ir.size import total
from compiler.passes.setting import Kernel, Precision, Setting
from tests.shadow.samples import short, whole
from tests.shipped import TRACED

KERNELS: tuple[Kernel, ...] = ("fused", "eager")
REAL: dict[str, tuple[Precision, int, int]] = {
    "decoder/gpt2.yaml": ("fp32", 1024, 0),
    "decoder/llama2-7b.yaml": ("fp32", 2048, 0),
    "decoder/mixtral-8x7b.yaml": ("bf16", 2048, 0),
    "encoder/bert-base.yaml": ("fp32", 128, 0),
    "vision/vit-b16-cls.yaml": ("fp32", 1, 0),
    "encoder-decoder/t5-small.yaml": ("fp32", 128, 96),
    "encoder-decoder/transformer-base.yaml": ("fp32", 128, 128),
}
"""Models as they are: their type, the length of a sequence and of its source."""

PACKED = ("specs/history/01", "specs/history/02", "specs/history/03")
KNOWN = [path for path in TRACED if not path.startswith(PACKED)]
"""Specs with parts that no other has, but those that pack rows, which torch runs on real tensors:
see `test_recurrences`."""
DROPPING = [
    "specs/encoder/bert-base.yaml",
    "specs/encoder-decoder/transformer-base.yaml",
    "specs/history/13-mixture-of-experts.yaml",
]

STEPPING = [f"specs/decoder/{name}.yaml" for name in ("gpt2", "llama3-8b", "deepseek-v2-lite")] + [
    f"specs/decoder/{name}.yaml" for name in ("gemma2-2b", "bloom-560m", "opt-125m")
]
STEPPING += [f"specs/encoder-decoder/{name}.yaml" for name in ("t5-small", "whisper-tiny.en")]
STEPPING += ["specs/history/10-transformer-base.yaml"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("path", REAL)
def test_models_at_their_size(path: str, kernel: Kernel) -> None:
    precision, length, source = REAL[path]
    sample, setting = whole(path, 1, length, source), Setting(precision, kernel)
    assert sample.counted(setting) == sample.measured(setting)


@pytest.mark.slow
@pytest.mark.parametrize("path", KNOWN)
def test_every_spec(path: str) -> None:
    sample, setting = short(path), Setting("bf16")
    assert sample.counted(setting) == sample.measured(setting)


@pytest.mark.slow
@pytest.mark.parametrize("path", KNOWN[::3])
def test_specs_without_fused_attention(path: str) -> None:
    sample, setting = short(path), Setting("bf16", "eager")
    assert sample.counted(setting) == sample.measured(setting)


@pytest.mark.parametrize("path", KNOWN[::5])
def test_rows_sum_up(path: str) -> None:
    memory, setting = short(path).memory, Setting("bf16")
    rows = memory.rows(setting)
    assert total(size for _, size in rows.values()) == memory.held(setting, training=True).saved
    assert "" not in rows


@pytest.mark.parametrize("path", DROPPING)
def test_training_keeps_masks(path: str) -> None:
    sample, setting = short(path), Setting("bf16")
    found = sample.trained(setting)
    assert found == sample.measured(setting, training=True)
    assert found.saved > sample.counted(setting).saved


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("path", STEPPING)
def test_a_step_of_decoding(path: str, kernel: Kernel) -> None:
    sample, setting = short(path), Setting("bf16", kernel)
    assert sample.at(sample.memory.step(setting)) == sample.stepped(setting)


def test_every_spec_is_known() -> None:
    assert [path for path in TRACED if short(path).memory.unknown] == []
