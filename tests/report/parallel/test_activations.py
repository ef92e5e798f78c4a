"""Tensors that ranks keep for backward passes, against published formulas and against models of a
rank's own size."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archspec.load import load
from compiler.ir.size import value
from compiler.passes.setting import Kernel, Setting
from compiler.report.costs import CostReport
from compiler.report.parallel.activations import Kept
from tests.passes.samples import named
from tests.report.parallel.spread import counted, gpt2, llama, mixtral

b, s, h, a = 2, 16, 32, 4
"""Sequences, positions, width and heads, in the letters of Korthikanti et al. 2022."""
MODELS = {"llama": cache(llama), "gpt2": cache(gpt2), "mixtral": cache(mixtral)}
SETTINGS = [
    Setting(kernel=kernel, recompute=recompute)
    for kernel in ("fused", "eager")
    for recompute in ("none", "full")
]


@cache
def gpt(layers: int, kernel: Kernel = "eager") -> CostReport:
    """GPT as that paper has it: biases, GELU, dropout behind softmax and both branches."""
    spec = {
        "name": "gpt",
        "dims": {"vocab": 64, "width": h, "layers": layers, "length": 64},
        "inputs": {"ids": {"tokens": {}}},
        "defaults": {
            "norm": {"layer": 1e-5},
            "norm_at": "pre",
            "bias": True,
            "dropout": {"residual": 0.1, "attention": 0.1},
        },
        "graph": {
            "tok": {
                "embed": {"vocab": "vocab", "dim": "width", "positions": {"learned": "length"}},
                "in": "ids",
            },
            "h": {
                "stack": {
                    "repeat": "layers",
                    "layer": {
                        "attn": {"attention": {"heads": a, "mask": "causal"}},
                        "mlp": {"mlp": {"hidden": "4*width", "act": "gelu"}},
                    },
                }
            },
            "final": {"norm": {"layer": 1e-5}},
            "logits": {"unembed": {"vocab": "vocab"}},
        },
    }
    return replace(counted(load(spec), B=b, T=s), setting=Setting(kernel=kernel))


def saved(report: CostReport, stage: int = 0, **degrees: int) -> int:
    """Bytes on a rank of a stage."""
    return report.parallel(**degrees).stages[stage].numbers["saved_bytes"]


def a_layer(**degrees: int) -> int:
    """What one layer more adds."""
    return saved(gpt(6), **degrees) - saved(gpt(5), **degrees)


NORMS = 2 * 2 * 2 * s * b
"""A mean and a deviation a norm and position, which the paper leaves out; in bfloat16 here, as
torch keeps them on a CPU."""
MASK = s * s
"""One boolean a pair, where nothing is fused: the paper's scores are masked in their kernel."""


@pytest.mark.parametrize("t", [1, 2, 4])
def test_a_layer_under_tensor_parallelism(t: int) -> None:
    """sbh(10 + 24/t + 5as/(ht)) (Korthikanti et al. 2022, equation 2): the inputs of norms and of
    the first maps and two dropout masks are on every rank; dropout of scores keeps a byte of mask
    and 2 of its result, its softmax 2."""
    published = Fraction(s * b * h) * (10 + Fraction(24, t) + Fraction(5 * a * s, h * t))
    assert a_layer(tp=t, sp=0) == published + NORMS + MASK


@pytest.mark.parametrize("t", [1, 2, 4])
def test_a_layer_under_sequence_parallelism_too(t: int) -> None:
    """sbh/t·(34 + 5as/h) (equation 4)."""
    published = Fraction(s * b * h, t) * (34 + Fraction(5 * a * s, h))
    assert a_layer(tp=t) == published + Fraction(NORMS, t) + MASK


@pytest.mark.parametrize("t", [1, 2, 4])
def test_layers_that_are_computed_again(t: int) -> None:
    """2sbh a layer (section 5), of which each rank has its part of the sequence."""
    one, more = (replace(gpt(n), setting=Setting(recompute="full")) for n in (5, 6))
    assert saved(more, tp=t) - saved(one, tp=t) == 2 * s * b * h // t


def test_fused_attention_keeps_a_sum_a_row_instead_of_scores() -> None:
    """5as²b less, and a float32 log-sum-exp a head and position more; it drops no scores here."""
    one, more = (gpt(n, "fused") for n in (5, 6))
    found = saved(more, tp=2) - saved(one, tp=2)
    assert found == (s * b * h * 34 + 4 * a * s * b + NORMS) // 2


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", MODELS)
def test_one_rank_keeps_what_the_model_does(name: str, setting: Setting) -> None:
    report = replace(MODELS[name](), setting=setting)
    assert saved(report) == report.totals["saved_bytes"]


@settings(max_examples=12, deadline=None)
@given(
    name=st.sampled_from([*MODELS]),
    setting=st.sampled_from(SETTINGS),
    tp=st.sampled_from([1, 2]),
    cp=st.sampled_from([1, 2, 4]),
)
def test_ranks_keep_the_model_together(name: str, setting: Setting, tp: int, cp: int) -> None:
    """What is cut sums to the whole; the rest is on every tensor rank, cut along the sequence
    alone; what has no positions (borders of experts) is everywhere."""
    report = replace(MODELS[name](), setting=setting)
    (one,), (rank,) = (report.parallel(**d).stages for d in ({}, {"tp": tp, "cp": cp}))
    whole, part = (_numbers(stage.saved, stage.sizes) for stage in (one, rank))
    fixed = _numbers(one.saved, {**one.sizes, "T": 0})
    assert not fixed[0]
    assert part[0] * tp * cp == whole[0]
    assert (part[1] - fixed[1]) * tp * cp == whole[1] - fixed[1]
    assert (part[2] - fixed[2]) * cp == whole[2] - fixed[2]


def _numbers(kept: Kept | None, sizes: Any) -> tuple[int, int, int]:
    assert kept is not None
    return value(kept.units, sizes), value(kept.between, sizes), value(kept.whole, sizes)


@pytest.mark.parametrize("kernel", ["fused", "eager"])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_a_rank_is_a_model_of_its_own_heads(kernel: Kernel, groups: int) -> None:
    """Without sequence parallelism a rank runs the same module with a part of the heads and of the
    hidden units (Shoeybi et al. 2019, section 3); a single key head is on every rank."""
    setting = Setting(kernel=kernel)
    report = replace(llama(groups=groups), setting=setting)
    alone = replace(llama(heads=2, groups=max(groups // 2, 1), ff=20), setting=setting)
    assert saved(report, tp=2, sp=0) == alone.totals["saved_bytes"]


def test_experts_share_rows_and_no_more() -> None:
    """As many rows come to a rank as it sends, so that experts elsewhere change nothing."""
    assert saved(mixtral(), tp=2, ep=2) == saved(mixtral(), tp=2)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 9])
def test_stages_keep_as_many_microbatches_as_are_under_way(m: int) -> None:
    """The first p of them, the last one (Narayanan et al. 2021, section 2.2)."""
    p, layers = 4, 8
    alone = [saved(gpt(layers), i, pp=p) for i in range(p)]
    assert sum(alone) == gpt(layers).totals["saved_bytes"]
    found = [saved(gpt(layers), i, pp=p, microbatches=m) for i in range(p)]
    assert found == [alone[i] * min(p - i, m) for i in range(p)]


@pytest.mark.parametrize(("p", "v"), [(2, 2), (4, 2), (2, 3), (3, 3)])
def test_interleaved_stages_keep_more(p: int, v: int) -> None:
    """1 + (p - 1)/(p·v) times all layers on the first stage (Korthikanti et al. 2022, section
    4.2.3)."""
    layers = 2 * p * v
    every = layers * a_layer()
    assert saved(gpt(layers), pp=p) * p == every
    found = saved(gpt(layers), pp=p, interleave=v, microbatches=4 * p)
    assert found == every * (1 + Fraction(p - 1, p * v))


def test_a_model_of_one_round_keeps_no_more_than_it() -> None:
    p, v, layers = 2, 2, 8
    every = layers * a_layer()
    assert saved(gpt(layers), pp=p, interleave=v, microbatches=p) == every


@pytest.mark.parametrize("name", ["decoder/gemma2-2b", "decoder/deepseek-v2-lite"])
def test_layers_that_differ_are_kept_where_they_are(name: str) -> None:
    """A round of two kinds, and stacks whose first layers are others; angles and masks are kept
    once in each stage."""
    report = counted(named(name), B=1, T=8)
    stages = report.parallel(pp=3).stages
    alone = sum(stage.numbers["saved_bytes"] for stage in stages)
    tables = alone - report.totals["saved_bytes"]
    assert 0 <= tables < report.totals["saved_bytes"] // 100


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({"tp": 2}, {}),
        ({"cp": 4}, {"cp": 2}),
        ({"pp": 2}, {}),
        ({"pp": 2, "microbatches": 2}, {"pp": 2, "microbatches": 4}),
        ({"pp": 2, "microbatches": 4}, {"pp": 2, "microbatches": 4, "interleave": 2}),
        ({"cp": 3}, {"cp": 2}),
    ],
)
def test_more_ranks_keep_less(name: str, less: dict[str, int], more: dict[str, int]) -> None:
    report = MODELS[name](layers=4) if name == "llama" else MODELS[name]()
    assert saved(report, **less) <= saved(report, **more)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_whole_sequences_are_more_to_keep(name: str) -> None:
    report = MODELS[name]()
    assert saved(report, tp=2) < saved(report, tp=2, sp=0) < saved(report)


@pytest.mark.parametrize("name", MODELS)
def test_everything_kept_is_added_up(name: str) -> None:
    spread = MODELS[name]().parallel(tp=2, dp=2, zero=3)
    (stage,) = spread.stages
    parts = ("training_states_bytes", "gathered_bytes", "saved_bytes")
    assert stage.numbers["training_kept_bytes"] == sum(stage.numbers[part] for part in parts)
    assert spread.fullest.kept == stage.numbers["training_kept_bytes"]


@pytest.mark.parametrize(
    "name", ["history/14-primitives-recurrence", "history/14-primitives-attention"]
)
def test_sequences_stay_whole_where_something_else_mixes_them(name: str) -> None:
    """A recurrence takes them step by step, an attention without maps has no heads to cut."""
    report = counted(named(name), B=1)
    spread = report.parallel(tp=2)
    assert spread.degrees.sp == 0
    stage = spread.stages[0]
    assert stage.saved is not None
    assert value(stage.saved.between, stage.sizes) <= report.totals["saved_bytes"]
    assert stage.numbers["saved_bytes"] > report.totals["saved_bytes"] // 2
