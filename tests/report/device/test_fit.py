"""What fits: published sizes of caches, and that one more does not."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler.passes.metrics import exact
from compiler.passes.setting import Kernel, Recompute, Setting
from compiler.report.device.assumed import assumed
from compiler.report.device.device import GIB
from compiler.report.device.fit import COUNTED, Fit, fits, largest
from compiler.report.device.roofline import phases
from compiler.report.device.section import notes
from compiler.report.device.table import device
from tests.report.device.places import plain, report, small

UNFUSED = "inference unfused"


def named(found: list[Fit], what: str) -> Fit:
    return next(fit for fit in found if fit.what == what)


@settings(max_examples=200, deadline=None)
@given(
    slope=st.integers(1, 1000),
    start=st.integers(0, 10**6),
    room=st.integers(0, 10**6),
    most=st.integers(1, 10**5),
)
def test_the_largest_that_fits(slope: int, start: int, room: int, most: int) -> None:
    found = largest(lambda n: start + slope * n, room, most)
    brute = min(max((room - start) // slope, 0), most)
    assert found == (None if start + slope * most <= room else brute)


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("decoder/llama3.1-8b", (0.125, 1.953, 15.625)),
        ("decoder/llama3.1-70b", (0.3125, 4.883, 39.062)),
        ("decoder/llama3.1-405b", (0.492, 7.690, 61.523)),
    ],
)
def test_published_sizes_of_caches(name: str, published: tuple[float, ...]) -> None:
    """Hugging Face's table for Llama 3.1 at 1 k, 16 000 and 128 000 tokens in GiB; its row of the
    405B counts 16 groups of heads where the released model has 8, so half of it is right."""
    for length, size in zip((1024, 16_000, 128_000), published, strict=True):
        found = report(name, B=1, T=1, S=length).totals["kv_bytes"]
        assert round(found / GIB, 3) == pytest.approx(size, abs=0.001)


def test_the_tokens_of_a_published_cache() -> None:
    """vLLM fits 78 384 tokens of gpt-oss-120b into 5.38 GiB, given in three digits."""
    found = report("decoder/gpt-oss-120b", B=1, T=1, S=4096)
    per_token = found.totals["kv_bytes_per_token"]
    assert per_token == 73_728
    assert largest(lambda n: n * per_token, round(5.38 * GIB)) == pytest.approx(78_384, rel=5e-4)


@pytest.mark.parametrize("what", ["inference", "decoding"])
@pytest.mark.parametrize("room", [100_000, 400_000, 3_000_000])
def test_one_more_does_not_fit(what: str, room: int) -> None:
    at = {"B": 2, "T": 7, "S": 11}
    found = named(list(fits(small(**at), room)), what)
    new = 1 if what == "decoding" else 7

    def need(**lengths: int) -> int:
        other = small(**{**at, "T": new, **lengths})
        return sum(other.totals[name] for name in found.counted)

    assert found.need == need()
    assert found.ok == (need() <= room)
    assert found.batch is not None
    if found.batch:
        assert need(B=found.batch) <= room
    assert need(B=found.batch + 1) > room
    assert found.length is not None
    for length, holds in ((found.length, True), (found.length + 1, False)):
        if length:
            lengths = {"S": length} if what == "decoding" else {"S": length, "T": length}
            assert (need(**lengths) <= room) == holds


def test_nothing_fits_into_no_room() -> None:
    for fit in fits(small(B=1, T=4, S=4), 0):
        assert not fit.ok
        assert (fit.batch, fit.length) == (0, 0)


def test_a_learned_table_ends_the_length_first() -> None:
    found = named(list(fits(report("decoder/gpt2", B=1), 10**12)), "inference")
    assert (found.length, found.ends) == (None, 1024)
    tight = named(list(fits(report("decoder/gpt2", B=1), 260_000_000)), "inference")
    assert tight.ends is None
    assert tight.length is not None
    assert tight.length < 1024


def test_a_fit_counts_what_the_report_has() -> None:
    whole = small(B=1, T=4, S=4)
    for fit in fits(whole, 10**9):
        if fit.what == UNFUSED:
            continue
        assert fit.counted == COUNTED[fit.what]
        assert not fit.missing
        counted = [exact(whole.costs, whole.formulas[name], fit.at) for name in fit.counted]
        assert fit.need == sum(counted)


def test_a_step_over_a_source_has_room_for_its_keys_and_reads_them() -> None:
    """T5-small in bf16: 6 layers with 2 x 512 numbers for each of 100 source positions."""
    found = report("encoder-decoder/t5-small", B=1, T=1, W=10, S=100)
    source = 6 * 2 * 512 * 100 * 2
    assert found.totals["source_kv_bytes"] == source
    fit = named(list(fits(found, 10**9)), "decoding")
    names = ("weights_bytes", "kv_bytes", "decode_peak_bytes", "source_kv_bytes")
    assert fit.counted == names
    assert fit.need == sum(found.totals[name] for name in names)
    step = phases(found, device("h200"), assumed(device("h200"), "bf16"))[1]
    assert step.cache == found.totals["kv_bytes"] + source


SETTINGS = [
    Setting(kernel=kernel, recompute=recompute)
    for kernel in get_args(Kernel)
    for recompute in get_args(Recompute)
]


@pytest.mark.parametrize("name", ["decoder/gpt2", "decoder/mixtral-8x7b", "vision/vit-b16-cls"])
@pytest.mark.parametrize("batch", [1, 8])
def test_training_that_fits_is_never_more_than_its_room(name: str, batch: int) -> None:
    """Eight sequences of GPT-2 have logits whose gradients come before anything else goes."""
    for setting in SETTINGS:
        whole = report(name, setting, B=batch)
        training = named(list(fits(whole, 76 * GIB)), "training")
        step = whole.totals["training_peak_bytes"]
        gradients = whole.totals["gradients_bytes"]
        assert step <= training.need <= step + gradients


def test_a_step_whose_way_back_is_unknown_needs_more_than_is_counted() -> None:
    whole = report("history/04-dot-product-attention", B=1)
    training = named(list(fits(whole, 76 * GIB)), "training")
    assert training.counted == ("training_states_bytes", "training_forward_peak_bytes")
    assert training.missing == ("training_tensors_bytes",)
    assert any("what a backward pass makes" in note for note in notes(whole.on(plain())))


def test_unfused_attention_ends_sooner() -> None:
    """Its scores grow with the square of the length: 32 heads of T² in bf16 at least."""
    found = list(fits(report("decoder/llama2-7b", B=1), 76 * GIB))
    fused, unfused = (named(found, what).length for what in ("inference", UNFUSED))
    assert fused is not None
    assert unfused is not None
    assert 2 * 32 * unfused**2 < 76 * GIB
    assert 3 * unfused < fused
    eager = list(fits(report("decoder/llama2-7b", Setting(kernel="eager"), B=1), 76 * GIB))
    assert named(eager, "inference").length == unfused
    assert all(fit.what != UNFUSED for fit in eager)
