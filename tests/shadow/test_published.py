"""What tensors come to, held against numbers of others: a table measured on transformers' Llama,
and the formula of Korthikanti et al. 2022."""

from typing import Any

import pytest

from archspec import load
from compiler.passes.setting import Kernel, Setting
from tests.shadow.samples import Sample, whole

LENGTHS = (1024, 2048, 4096, 8192, 16384, 32768)
PEAK: dict[Kernel, tuple[float, ...]] = {
    "fused": (0.189, 0.379, 0.758, 1.516, 3.031, 6.063),
    "eager": (0.349, 1.205, 4.441, 17.008, 66.516, 263.03),
}
SAVED: dict[Kernel, tuple[float, ...]] = {
    "fused": (10.55, 21.10, 42.20, 84.39, 168.8, 337.6),
    "eager": (14.55, 37.09, 106.2, 340.4, 1192.7, 4433.4),
}
"""GiB of Llama-2-7B of transformers 5.24 in float32, one sequence, over its weights: at the most in
a forward, and behind a forward that keeps what its backward pass needs."""

D, M, H, K, L, V = 4096, 11008, 32, 128, 32, 32000


def leaner(kernel: Kernel, T: int) -> int:
    """What that module has more of in the fullest moment of a forward than ours.

    Fused: two more residual streams and one more table of angles, but its gate goes before its
    products come, where ours is half of `gate_up`. Eager: its mask is one of floats where ours are
    two of booleans, or one beside all of `qkv`, and one more table of angles; our values are laid
    out anew.
    """
    if kernel == "fused":
        return 4 * T * (2 * D + K - M)
    return 4 * T**2 + 4 * T * (K - D) - max(2 * T**2, T**2 + 4 * T * D)


def kept(kernel: Kernel, T: int) -> int:
    """What that module has more of behind a forward than ours.

    It has logits beside what is saved, and sines and cosines once for all layers, where ours come
    twice in each. For a fused kernel its values do not hold on to queries and keys, which are parts
    of our `qkv`, and its results lie as its maps read them, where ours are copied. Our masks are
    booleans that filling keeps; its are floats that adding does not.
    """
    angles = 8 * T * K - 16 * T * K * L
    heads = {"fused": 12, "eager": 0}[kernel] * H * K * T * L
    masks = T**2 * L if kernel == "eager" else 0
    return 4 * T * V + angles - heads - masks


@pytest.mark.parametrize("kernel", ["fused", "eager"])
@pytest.mark.parametrize("place", range(len(LENGTHS)), ids=map(str, LENGTHS))
def test_the_table_of_a_quadratic_memory(place: int, kernel: Kernel) -> None:
    T = LENGTHS[place]
    sample = whole("decoder/llama2-7b.yaml", 1, T)
    found = sample.counted(Setting("fp32", kernel))
    peak, saved = PEAK[kernel][place], SAVED[kernel][place]
    assert (found.peak + leaner(kernel, T)) / 2**30 == pytest.approx(peak, abs=half_digit(peak))
    assert (found.saved + kept(kernel, T)) / 2**30 == pytest.approx(saved, abs=half_digit(saved))


def half_digit(printed: float) -> float:
    """Half of the last digit that a table gives."""
    return 0.5 * 10.0 ** -len(str(printed).partition(".")[2]) + 1e-9


DROPOUT = {"residual": 0.1, "attention": 0.1}


def megatron(batch: int, length: int, layers: int) -> Sample:
    """Layers of a transformer as Megatron-LM has them, with dropout in all three places."""
    spec: dict[str, Any] = {
        "name": "megatron",
        "dims": {"d": 512, "layers": layers, "heads": 8},
        "inputs": {"x": {"features": ["T", "d"]}},
        "defaults": {"norm": {"layer": 1e-5}, "norm_at": "pre", "bias": True, "dropout": DROPOUT},
        "graph": {
            "h": {
                "stack": {
                    "repeat": "layers",
                    "layer": {
                        "attn": {"attention": {"heads": "heads", "mask": "full"}},
                        "mlp": {"mlp": {"hidden": "4*d", "act": "gelu"}},
                    },
                },
                "in": "x",
            }
        },
    }
    return Sample(load(spec), batch, length, length)


@pytest.mark.parametrize("kernel", ["fused", "eager"])
def test_korthikanti(kernel: Kernel) -> None:
    """Their table 2: s·b·h·(34 + 5·a·s/h) bytes a layer, without the last term where attention is
    fused, which keeps four bytes a row instead; they leave out means and deviations."""
    s, h, a = 256, 512, 8
    one, two = (
        sample.at(sample.memory.held(Setting("bf16", kernel), training=True).saved)
        for sample in (megatron(1, s, 8), megatron(1, s, 9))
    )
    attention = 5 * a * s**2 if kernel == "eager" else 4 * a * s
    statistics = 2 * (2 + 2) * s
    assert two - one == 34 * s * h + attention + statistics


def test_selective_recomputation_forgets_the_matrix() -> None:
    s, a = 256, 8
    sample = megatron(1, s, 8)
    kept, forgot = (
        sample.at(sample.memory.held(Setting("bf16", "eager", how), training=True).saved)
        for how in ("none", "selective")
    )
    assert kept - forgot == 8 * 5 * a * s**2


def test_full_recomputation_keeps_what_enters_a_layer() -> None:
    s, h = 256, 512
    found = [
        sample.at(sample.memory.held(Setting("bf16", "fused", "full"), training=True).saved)
        for sample in (megatron(1, s, 8), megatron(1, s, 9))
    ]
    assert found[1] - found[0] == 2 * s * h
