"""Ranks hold what an explicit cut of every weight gives them, and together they hold the model."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from compiler.ir.size import value
from compiler.passes.cuts import every_cut
from compiler.report.costs import CostReport
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.layout import layout
from compiler.report.parallel.placed import placed
from compiler.report.parallel.states import Owned, owned
from compiler.report.parallel.tensors import Tensor, tensors
from tests.report.parallel.spread import Piece, gpt2, llama, mixtral, pieces

POWERS = st.sampled_from([1, 2, 4])
BYTES = {"weights": 2, "gradients": 2, "master_weights": 4, "optimizer": 8}
"""Of AdamW in bfloat16: 16 a weight (Rajbhandari et al. 2020, section 3.1)."""
SHARED = {"weights": 3, "gradients": 2, "master_weights": 1, "optimizer": 1}
"""The stage of ZeRO from which replicas share it out."""


def weights_of(report: CostReport, degrees: Degrees) -> tuple[Tensor, ...]:
    program = report.costs.program
    graphs = every_cut(program)
    return tensors(layout(report.costs, degrees), graphs, placed(program, graphs), program)


def numbers(found: Owned, sizes: dict[str, int]) -> dict[str, int]:
    return {
        "cut": value(found.cut, sizes),
        "whole": value(found.whole, sizes),
        "expert": value(found.expert, sizes),
    }


def on(found: list[Piece], **place: int) -> dict[str, int]:
    """The elements of one rank by bucket."""
    here = [p for p in found if all(getattr(p, key) == at for key, at in place.items())]
    return {
        bucket: sum(piece.elements for piece in here if piece.bucket == bucket)
        for bucket in ("cut", "whole", "expert")
    }


@settings(max_examples=15, deadline=None)
@given(
    model=st.sampled_from([llama, gpt2, mixtral]),
    layers=st.integers(4, 8),
    tp=st.sampled_from([1, 2]),
    pp=st.sampled_from([1, 2, 3, 4]),
    interleave=st.sampled_from([1, 2]),
    ep=POWERS,
    dp=POWERS,
    vocab=st.integers(50, 60),
)
def test_ranks_hold_what_is_cut_by_hand_and_sum_to_the_model(
    model: Callable[..., CostReport],
    layers: int,
    tp: int,
    pp: int,
    interleave: int,
    ep: int,
    dp: int,
    vocab: int,
) -> None:
    named = {"layers": layers} if model is llama else {"n_layers": layers}
    report = model(vocab=vocab, **named)
    given = {"tp": tp, "pp": pp, "interleave": interleave if pp > 1 else 1}
    if model is mixtral:
        given["ep"] = ep
    assume(given["pp"] * given["interleave"] <= layers)
    degrees = Degrees(**given, dp=4 * dp, microbatches=2)
    by_hand = list(pieces(report, given, layers))
    weights = weights_of(report, degrees)
    sizes = {**report.sizes, **degrees.sizes}
    for stage in range(pp):
        for tensor in range(tp):
            found = numbers(owned(weights, stage, tensor), sizes)
            for expert in range(degrees.ep):
                assert found == on(by_hand, stage=stage, tensor=tensor, expert=expert)

    whole = [numbers(owned(weights, s, t), sizes) for s in range(pp) for t in range(tp)]
    together = (
        sum(each["cut"] for each in whole)
        + sum(each["whole"] for each in whole) // tp
        + sum(each["expert"] for each in whole) // tp * degrees.ep
    )
    tables = [one for one in weights if one.alike and one.holders != 1]
    twice = sum(value(one.along * one.across, sizes) for one in tables)
    assert together - twice == report.totals["parameters"]
    assert bool(tables) == (model is gpt2 and pp > 1)


@settings(max_examples=15, deadline=None)
@given(
    zero=st.integers(0, 3),
    tp=st.sampled_from([1, 2]),
    dp=st.integers(1, 5),
    cp=st.sampled_from([1, 2, 3]),
    ep=st.sampled_from([1, 2, 4, 8]),
)
def test_replicas_share_out_states_element_by_element(
    zero: int, tp: int, dp: int, cp: int, ep: int
) -> None:
    """Dense weights among dp·cp ranks, experts among the tp·cp·dp/ep that hold the same ones."""
    report = mixtral()
    assume(tp * dp * cp % ep == 0)
    degrees = {"tp": tp, "dp": dp, "cp": cp, "ep": ep, "zero": zero}
    (stage,) = report.parallel(**degrees).stages
    mine = on(list(pieces(report, degrees, 4)), stage=0, tensor=0, expert=0)
    dense, experts = mine["cut"] + mine["whole"], mine["expert"]
    parts = [
        len(range(0, dense, dp * cp)) + len(range(0, experts, tp * dp * cp // ep)),
        dense + experts,
    ]
    for name, size in BYTES.items():
        elements = parts[0] if zero >= SHARED[name] else parts[1]
        assert stage.numbers[f"{name}_bytes"] == elements * size, name
    states = sum(stage.numbers[f"{name}_bytes"] for name in BYTES)
    assert stage.numbers["training_states_bytes"] == states


@pytest.mark.parametrize(
    ("zero", "gigabytes"), [(0, "120.0"), (1, "31.4"), (2, "16.6"), (3, "1.9")]
)
def test_the_figure_of_zero(zero: int, gigabytes: str) -> None:
    """Rajbhandari et al. 2020, figure 1: 7.5 billion weights on 64 devices, scaled from a model
    that has about as many."""
    report = gpt2(vocab=50257, d_model=4096, n_layers=36, n_heads=32, max_len=1024)
    (stage,) = report.parallel(dp=64, zero=zero).stages
    parameters = report.totals["parameters"]
    assert 7.4e9 < parameters < 7.6e9
    found = stage.numbers["training_states_bytes"] * 7.5 / parameters
    assert f"{found:.1f}" == gigabytes


def test_zero_three_has_two_layers_whole_for_a_time() -> None:
    report = llama()
    (stage,) = report.parallel(dp=4, zero=3, tp=2).stages
    by_hand = list(pieces(report, {"tp": 2}, 3))
    layer = sum(p.elements for p in by_hand if p.name.startswith("h.1.") and p.tensor == 0)
    assert stage.numbers["gathered_bytes"] == 2 * 2 * layer


def test_keys_of_one_head_are_on_every_tensor_rank() -> None:
    many, one = llama(groups=2), llama(groups=1)
    halves = [model.parallel(tp=2).stages[0].numbers["kv_bytes"] for model in (many, one)]
    wholes = [model.totals["kv_bytes"] for model in (many, one)]
    assert halves == [wholes[0] // 2, wholes[1]]


def test_caches_go_with_the_layers_and_along_the_sequence() -> None:
    report = llama(layers=4)
    found = [stage.numbers["kv_bytes"] for stage in report.parallel(pp=4, cp=2).stages]
    assert [each * 2 * 4 for each in found] == [report.totals["kv_bytes"]] * 4


def test_everything_on_one_device_is_the_model() -> None:
    for model in (llama, gpt2, mixtral):
        report: Any = model()
        (stage,) = report.parallel().stages
        assert stage.numbers["parameters"] == report.totals["parameters"]
        assert stage.numbers["kv_bytes"] == report.totals["kv_bytes"]
        assert stage.numbers["communication_bytes"] == 0
        assert stage.transfers == ()
