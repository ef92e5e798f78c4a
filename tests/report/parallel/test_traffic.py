"""What ranks send, against the published rules evaluated by hand.

b bytes an element, s positions, B sequences, d width, k key heads of width e, K experts a token; t,
c, x, D tensor, context, expert and data ranks.
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from compiler.passes.setting import Setting
from compiler.report.costs import CostReport
from compiler.report.parallel.degrees import Degrees
from compiler.report.parallel.ranks import Stage
from tests.report.parallel.spread import gpt2, llama, mixtral

b, s, d = 2, 16, 24
LAYERS = 4
SMALL = {"layers": LAYERS, "vocab": 96}


def sent(report: CostReport, stage: int = 0, **degrees: int) -> Counter[tuple[str, str]]:
    """Bytes by group and kind."""
    return by_kind(report.parallel(**degrees).stages[stage])


def by_kind(stage: Stage) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for one in stage.transfers:
        found[one.group, one.kind] += stage.sent(one)
    assert sum(found.values()) == stage.numbers["communication_bytes"]
    return found


def by_what(stage: Stage) -> Counter[str]:
    """Bytes by reason."""
    found: Counter[str] = Counter()
    for one in stage.transfers:
        found[one.what] += stage.sent(one)
    return found


@pytest.mark.parametrize("zero", range(4))
def test_replicas_sum_gradients_and_gather_what_they_share(zero: int) -> None:
    """2(D-1)/D·Ψ·b, also under ZeRO-1 and 2; half as much again under ZeRO-3 (Rajbhandari et al.
    2020, section 7)."""
    report = llama(**SMALL)
    psi = report.totals["parameters"]
    assert psi % 4 == 0
    one = 3 * psi // 4 * b
    found = sent(report, dp=4, zero=zero)
    assert found.total() == one * (3 if zero == 3 else 2)
    assert (
        set(found) == {("dp", "all_reduce")}
        if zero == 0
        else {
            ("dp", "reduce_scatter"),
            ("dp", "all_gather"),
        }
    )


def test_what_is_not_kept_whole_is_exchanged_for_every_microbatch() -> None:
    report = llama(**SMALL)
    one = 3 * report.totals["parameters"] // 4 * b
    rounds = [sent(report, dp=4, zero=zero, microbatches=8).total() // one for zero in range(4)]
    assert rounds == [2, 2, 8 + 1, 8 * 3]


@pytest.mark.parametrize("t", [2])
@pytest.mark.parametrize("m", [1, 8])
def test_layers_gather_and_scatter_four_times(t: int, m: int) -> None:
    """Four gathers and four scatters of s·B·d a layer, (t-1)/t of it each, and two gathers more
    backward, of the inputs that ranks kept their own part of (Korthikanti et al. 2022, section
    4.2.2); the table is read and the head asked once each, forward and backward, and what the head
    read is gathered again too."""
    (stage,) = llama(**SMALL).parallel(tp=t, microbatches=m).stages
    found = by_kind(stage)
    each = s * d * b * (t - 1) // t * m
    assert found["tp", "all_gather"] == (4 * LAYERS + 2 + 2 * LAYERS + 1) * each
    assert by_what(stage)["inputs of maps, once more"] == (2 * LAYERS + 1) * each
    assert found["tp", "reduce_scatter"] == (4 * LAYERS + 2) * each
    norms = (2 * LAYERS + 1) * d
    assert by_what(stage)["gradients of weights that are whole"] == 2 * norms * (t - 1) // t * b


@pytest.mark.parametrize("m", [1, 8])
def test_whole_sequences_are_summed_four_times(m: int) -> None:
    """Without sequence parallelism: two all-reduces a layer forward and two backward (Shoeybi et
    al. 2019, section 3), no gradient of a norm, and nothing gathered."""
    t = 2
    (stage,) = llama(**SMALL).parallel(tp=t, sp=0, microbatches=m).stages
    each = 2 * s * d * b * (t - 1) // t * m
    assert by_what(stage)["activations"] == (4 * LAYERS + 2) * each
    assert set(by_kind(stage)) == {("tp", "all_reduce")}
    assert set(by_what(stage)) == {"activations", "losses"}


def test_gradients_of_maps_of_a_single_key_head_are_summed_anyway() -> None:
    """Each rank has those of its query heads."""
    (stage,) = llama(**SMALL, groups=1).parallel(tp=2, sp=0).stages
    keys_and_values = LAYERS * 2 * d * 6
    assert by_what(stage)["gradients of weights that are whole"] == keys_and_values * b


@pytest.mark.parametrize("c", [1, 2])
@pytest.mark.parametrize("sp", [0, 1])
def test_a_loss_is_exchanged_three_times(c: int, sp: int) -> None:
    """Megatron-LM's `vocab_parallel_cross_entropy` sums the largest score, the target's score and
    the sum of exponentials of each position, in float32."""
    t, m = 2, 4
    stages = llama(**SMALL).parallel(tp=t, sp=sp, cp=c, pp=2, microbatches=m).stages
    losses = [by_what(stage)["losses"] for stage in stages]
    assert losses == [0, 3 * m * 2 * (t - 1) * (s // c) * 4 // t]


def test_recomputing_layers_talks_once_more() -> None:
    """Forward again: a gather and a scatter for each of two sublayers."""
    report = llama(**SMALL)
    again = replace(report, setting=Setting(recompute="full"))
    more = sent(again, tp=2) - sent(report, tp=2)
    each = s * d * b // 2
    assert more["tp", "all_gather"] == more["tp", "reduce_scatter"] == 2 * LAYERS * each


@pytest.mark.parametrize(("t", "c"), [(1, 1), (2, 1), (2, 2)])
@pytest.mark.parametrize("v", [1, 2])
def test_stages_send_every_microbatch_on_and_its_gradient_back(t: int, c: int, v: int) -> None:
    """s·B·d·b a boundary and microbatch, cut among tensor and context ranks; among the latter alone
    where tensor ranks have whole sequences."""
    m, p = 6, 2
    spread = llama(**SMALL).parallel(tp=t, cp=c, pp=p, microbatches=m, interleave=v)
    each = s * d * b * m // (t * c)
    found = [by_kind(stage)["pp", "send"] for stage in spread.stages]
    assert sum(found) == 2 * (p * v - 1) * each
    assert found[0] == found[1]
    assert spread.degrees.bubble == Fraction(p - 1, v * m)
    whole = llama(**SMALL).parallel(tp=t, sp=0, cp=c, pp=p, microbatches=m, interleave=v)
    assert by_kind(whole.stages[0])["pp", "send"] == found[0] * t


def test_the_middle_of_a_pipeline_sends_both_ways() -> None:
    stages = llama(**SMALL).parallel(pp=4).stages
    assert [by_kind(stage)["pp", "send"] // (s * d * b) for stage in stages] == [1, 2, 2, 1]


def test_a_tied_table_is_summed_between_the_ends() -> None:
    report = gpt2(n_layers=4)
    table = 61 * 24 * 2
    found = [by_kind(stage)["pp", "all_reduce"] for stage in report.parallel(pp=4).stages]
    assert found == [table, 0, 0, table]


def test_rows_go_to_experts_and_back() -> None:
    """tokens·K·d·b·(x-1)/x to them and as many back, in a forward and in a backward."""
    layers, width, chosen, x, tokens = 4, 16, 2, 4, 16 // 2
    found = sent(mixtral(), tp=2, dp=2, ep=x, microbatches=3)
    one = tokens * chosen * width * b * (x - 1) // x
    assert found["ep", "all_to_all"] == 3 * layers * 2 * 2 * one


def test_experts_are_summed_among_those_who_have_the_same() -> None:
    """D for what is no expert, t·c·D/x for experts."""
    report = mixtral()
    stage = report.parallel(tp=2, dp=4, ep=4, zero=1).stages[0]
    sends = {one.what: stage.sent(one) for one in stage.transfers if one.kind == "reduce_scatter"}
    experts = stage.numbers["parameters_experts"]
    dense = stage.numbers["parameters"] - experts
    assert sends["gradients of experts"] == experts * b * (2 - 1) // 2
    assert sends["gradients of weights"] == -(-dense // 4) * (4 - 1) * b


@pytest.mark.parametrize("t", [1, 2])
@pytest.mark.parametrize("c", [2, 4])
def test_keys_and_values_go_round(t: int, c: int) -> None:
    """(c-1)·2·(S/c)·B·k·e·b forward, twice that backward (Liu et al. 2023, section 3.2)."""
    found = sent(llama(**SMALL), cp=c, tp=t)
    forward = (c - 1) * 2 * (s // c) * 2 * 6 * b // t
    assert found["cp", "ring"] == LAYERS * 3 * forward


def test_the_last_ranks_of_uneven_parts_are_filled_up() -> None:
    """97 rows on two ranks: 49 on the first."""
    report = llama(layers=4, vocab=97)
    stage = report.parallel(tp=2).stages[0]
    even = llama(layers=4, vocab=98).parallel(tp=2).stages[0]
    assert stage.numbers["parameters"] == even.numbers["parameters"]


@pytest.mark.parametrize(
    ("degrees", "bubble"),
    [
        ({"pp": 4, "microbatches": 32}, "3/32"),
        ({"pp": 8, "microbatches": 64, "interleave": 2}, "7/128"),
    ],
)
def test_the_bubble(degrees: dict[str, Any], bubble: str) -> None:
    """(p-1)/m, and 1/v of it where stages have v pieces (Narayanan et al. 2021, section 2.2)."""
    assert str(Degrees(**degrees).bubble) == bubble
