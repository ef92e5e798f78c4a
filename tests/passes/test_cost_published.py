"""Costs against published numbers: parameters of model cards and papers, FLOPs as measured."""

import pytest

from tests.passes.samples import counted, named

GPT3 = "decoder/gpt3-175b"
LLAMA = "decoder/llama3-8b"
PARAMETERS = {
    ("decoder/gpt2", ()): 124_439_808,
    ("decoder/gpt2", (("d_model", 1024), ("n_layers", 24), ("n_heads", 16))): 354_823_168,
    ("decoder/gpt2", (("d_model", 1280), ("n_layers", 36), ("n_heads", 20))): 774_030_080,
    ("decoder/gpt2", (("d_model", 1600), ("n_layers", 48), ("n_heads", 25))): 1_557_611_200,
    (GPT3, ()): 174_604_259_328,
    # Brown et al. 2020, tables 2.1 and D.1: 125M, 2.7B and 13B with the width it must have had.
    (GPT3, (("d_model", 768), ("n_layers", 12), ("n_heads", 12))): 125_226_240,
    (GPT3, (("d_model", 2560), ("n_layers", 32), ("n_heads", 32))): 2_651_553_280,
    (GPT3, (("d_model", 5120), ("n_layers", 40), ("n_heads", 40))): 12_853_386_240,
    (LLAMA, ()): 8_030_261_248,
    (
        LLAMA,
        (("d_model", 8192), ("n_layers", 80), ("n_heads", 64), ("d_ff", 28672)),
    ): 70_553_706_496,
    (
        LLAMA,
        (("d_model", 16384), ("n_layers", 126), ("n_heads", 128), ("d_ff", 53248)),
    ): 405_853_388_800,
    (LLAMA, (("vocab", 32000), ("n_kv_heads", 32), ("d_ff", 11008))): 6_738_415_616,
    (LLAMA, (("vocab", 32000),)): 7_241_732_096,  # Mistral-7B
    ("encoder/bert-base", ()): 109_482_240,
    (
        "encoder/bert-base",
        (("d_model", 1024), ("n_layers", 24), ("n_heads", 16), ("d_ff", 4096)),
    ): 335_141_888,
    ("encoder/minilm-l6", ()): 22_713_216,
    ("vision/vit-b16-cls", ()): 86_567_656,
    ("vision/vit-b16-cls", (("patch", 32),)): 88_224_232,
    (
        "vision/vit-b16-cls",
        (("d_model", 1024), ("n_layers", 24), ("n_heads", 16), ("d_ff", 4096)),
    ): 304_326_632,
    ("encoder-decoder/transformer-base", ()): 63_082_496,
    ("encoder-decoder/transformer-big", ()): 214_245_376,
}  # fmt: skip


@pytest.mark.parametrize(("named_spec", "count"), PARAMETERS.items(), ids=str)
def test_parameters(named_spec: tuple[str, tuple[tuple[str, int], ...]], count: int) -> None:
    name, changes = named_spec
    _, totals = counted(named(name, **dict(changes)))
    assert totals["parameters"] == count


FLOPS = {
    # linear and convolution, of which the head; attention; full; over causal pairs
    ("decoder/gpt2", "T=1024"): (173_946_175_488 + 79_047_426_048, 38_654_705_664, 272_339_828_736),
    ("encoder/bert-base", "T=128"): (21_743_271_936 + 1_179_648, 603_979_776, 22_348_431_360),
    ("vision/vit-b16-cls", ""): (33_695_465_472 + 1_536_000, 1_430_654_976, 35_127_656_448),
    ("encoder-decoder/transformer-base", "T=128,S=128"): (
        11_274_289_152 + 4_849_664_000,
        603_979_776,
        16_628_056_064,
    ),
    ("encoder-decoder/transformer-big", "T=128,S=128"): (
        45_097_156_608 + 9_699_328_000,
        1_207_959_552,
        55_804_690_432,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "flops"), FLOPS.items(), ids=str)
def test_flops(asked: tuple[str, str], flops: tuple[int, int, int]) -> None:
    name, at = asked
    linear, attention, causal = flops
    sizes = {item[0]: int(item[2:]) for item in at.split(",") if item}
    _, totals = counted(named(name), **sizes)
    assert totals["linear_flops"] == linear
    assert totals["attention_flops"] == attention
    assert totals["matmul_flops"] == linear + attention
    assert totals["matmul_flops_causal"] == causal
    assert 2 * totals["matmul_macs"] == totals["matmul_flops"]


def test_flops_of_llama_2_7b() -> None:
    _, totals = counted(named(LLAMA, vocab=32000, n_kv_heads=32, d_ff=11008), T=2048)
    assert totals["matmul_flops"] == 29_261_612_187_648
    assert totals["matmul_flops_causal"] == 28_162_637_430_784


@pytest.mark.parametrize(
    ("name", "published_gmac"), [("vision/vit-b16-cls", 17.56), ("vision/vit-b32", 4.41)]
)
def test_vision_docs_call_multiply_adds_flops(name: str, published_gmac: float) -> None:
    """torchvision's "GFLOPS" are multiply-adds."""
    changes = {"patch": 32} if name.endswith("32") else {}
    _, totals = counted(named("vision/vit-b16-cls", **changes))
    assert round(totals["matmul_macs"] / 1e9, 2) == published_gmac


CACHE = {
    (LLAMA, ()): 131_072,
    (LLAMA, (("d_model", 8192), ("n_layers", 80), ("n_heads", 64), ("d_ff", 28672))): 327_680,
    # OPT-13B, Kwon et al. 2023, section 3: 800 KB
    (GPT3, (("d_model", 5120), ("n_layers", 40), ("n_heads", 40))): 819_200,
    ("encoder/bert-base", ()): 0,
}


@pytest.mark.parametrize(("named_spec", "size"), CACHE.items(), ids=str)
def test_cache_bytes_of_a_token(
    named_spec: tuple[str, tuple[tuple[str, int], ...]], size: int
) -> None:
    name, changes = named_spec
    _, totals = counted(named(name, **dict(changes)), T=512)
    assert totals["kv_bytes_per_token"] == size
    assert totals["kv_bytes"] == 512 * size


def test_cache_of_llama_at_16k_is_what_is_published() -> None:
    """1.95 GB at 16 k and 15.62 at 128 k of Llama-3.1-8B, which has these layers."""
    for length, published in ((16_000, 1.95), (128_000, 15.62)):
        _, totals = counted(named(LLAMA), T=length)
        assert totals["kv_bytes"] / 2**30 == pytest.approx(published, abs=0.01)


def test_non_embedding_parameters_of_gpt_layers() -> None:
    """12 L d² + 13 L d + 2 d (Kaplan et al. 2020, with biases and norms)."""
    _, totals = counted(named("decoder/gpt2"))
    width, layers = 768, 12
    assert (
        totals["parameters_non_embedding"]
        == 12 * layers * width**2 + 13 * layers * width + 2 * width
    )


def test_training_flops_of_gpt_3() -> None:
    """Six times parameters times 300 G tokens are the 3.14e23 of Brown et al. 2020, table D.1."""
    _, totals = counted(named(GPT3))
    assert 6 * totals["parameters"] * 300e9 == pytest.approx(3.14e23, rel=2e-3)
