"""Operators of position biases: the torch text against the definition."""

import copy

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from compiler import ops
from compiler.ir.size import value
from tests.backends.torch.live import apart
from tests.ops.case import (
    KEY,
    POS,
    SEQUENCE,
    B,
    Case,
    D,
    H,
    K,
    M,
    S,
    T,
    bools,
    floats,
    ints,
)
from tests.ops.mixture_cases import of_seven

SIX, ONE = KEY.fixed("heads", 6), KEY.fixed("heads", 1)
ROWS = KEY.fixed("table", 7)
CELLS, WITH_CLASS = KEY.fixed("patches", 6), KEY.fixed("patches", 7)
BIAS = floats(1, H, T, S)
Q, HEADS_OF_S, FLAT = floats(B, H, T, K), floats(B, H, S, K), floats(ROWS, 24)

CASES = {
    "alibi": Case(ops.Alibi(H, T), (SEQUENCE, None)),
    "alibi of a cache": Case(ops.Alibi(H, S), (SEQUENCE, POS)),
    "alibi of six heads": Case(ops.Alibi(SIX, T, scale=0.25), (SEQUENCE, None)),
    "alibi of one head": Case(ops.Alibi(ONE, T, max_bias=4.0), (SEQUENCE, None)),
    "alibi both ways": Case(ops.Alibi(SIX, S, 10.0, causal=False), (SEQUENCE, POS)),
    "buckets": Case(ops.DistanceBuckets(T, 32, 128, bidirectional=True), (SEQUENCE, None)),
    "few buckets": Case(ops.DistanceBuckets(T, 8, 6, bidirectional=True), (SEQUENCE, None)),
    "buckets behind": Case(ops.DistanceBuckets(S, 4, 5, bidirectional=False), (SEQUENCE, POS)),
    "grid": Case(ops.GridOffsets(2, 3), (floats(B, CELLS, D),)),
    "grid with a class token": Case(ops.GridOffsets(3, 2, cls=True), (floats(B, WITH_CLASS, D),)),
    "rows": Case(ops.BucketBias(ROWS, H), (ints(T, S),), {"bucket": of_seven}),
    "rows of distances": Case(ops.DistanceRows(S, 3), (SEQUENCE, POS)),
    "rows by logarithm": Case(ops.DistanceRows(T, 6, 11), (SEQUENCE, None)),
    "all rows": Case(ops.DistanceTable(ROWS, D), ()),
    "distances of queries": Case(
        ops.DisentangledBias(0.5), (Q, HEADS_OF_S, ints(T, S), FLAT, None), {"bucket": of_seven}
    ),
    "distances of keys": Case(
        ops.DisentangledBias(1.0), (Q, HEADS_OF_S, ints(T, S), None, FLAT), {"bucket": of_seven}
    ),
    "distances of both": Case(
        ops.DisentangledBias(0.1), (Q, HEADS_OF_S, ints(T, S), FLAT, FLAT), {"bucket": of_seven}
    ),
    "paired": Case(ops.PairedLinear(M, bias=True), (SEQUENCE, floats(ROWS, D))),
    "hidden": Case(ops.MaskedBias(), (BIAS, bools(T, S))),
    "hidden by row": Case(ops.MaskedBias(), (BIAS, bools(B, 1, T, S))),
    "hidden keys": Case(ops.MaskedBias(), (floats(B, H, T, S), bools(B, 1, 1, S))),
}


def agree(found: torch.Tensor, expected: torch.Tensor) -> None:
    assert found.dtype == expected.dtype
    hidden = expected == -torch.inf
    assert torch.equal(found == -torch.inf, hidden)
    apart_ = apart(found.masked_fill(hidden, 0).double(), expected.masked_fill(hidden, 0).double())
    assert apart_ <= 1e-6


@pytest.mark.parametrize("name", CASES)
def test_text_and_definition_agree(name: str) -> None:
    live = CASES[name].live()
    for seed, lengths in enumerate(({}, {"T": 3, "B": 1}, {"T": 4, "S": 9}, {"T": 40, "S": 40})):
        given = CASES[name].given(seed, **lengths)
        outputs = live.found(given), live.expected(copy.deepcopy(given))
        for found, expected in zip(*outputs, strict=True):
            agree(found, expected)


@pytest.mark.parametrize("name", CASES)
def test_what_is_inferred_is_what_comes_out(name: str) -> None:
    case = CASES[name]
    given = case.given()
    sizes = {**KEY.sizes, "B": 3, "T": 5, "S": 7}
    types = case.operator.infer(case.inputs, KEY)
    for said, found in zip(types, case.live().found(given), strict=True):
        assert list(found.shape) == [value(size, sizes) for size in said.shape]


def test_biases_are_as_large_as_the_scores_of_a_row() -> None:
    """A matrix H·T·S is written, whoever reads it."""
    for name in ("alibi", "rows", "hidden by row"):
        case = CASES[name]
        types = case.operator.infer(case.inputs, KEY)
        cost = case.operator.cost(case.operator.use(case.inputs, types, KEY))
        sizes = {**KEY.sizes, "B": 3, "T": 5, "S": 7}
        (found,) = case.live().found(case.given())
        assert value(cost.total("bias"), sizes) == found.numel()
        assert cost.total("matmul") == 0 * cost.total("bias")


@pytest.mark.parametrize("name", ["distances of both", "distances of keys", "paired"])
def test_products_are_what_torch_counts(name: str) -> None:
    case = CASES[name]
    types = case.operator.infer(case.inputs, KEY)
    cost = case.operator.cost(case.operator.use(case.inputs, types, KEY))
    with FlopCounterMode(display=False) as counter:
        case.live().found(case.given())
    sizes = {**KEY.sizes, "B": 3, "T": 5, "S": 7}
    assert value(cost.total("matmul"), sizes) == counter.get_total_flops()


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16, torch.float64])
def test_a_bias_has_the_type_of_what_it_is_for(kind: torch.dtype) -> None:
    (found,) = CASES["alibi"].live().found({"x": CASES["alibi"].given()["x"].to(kind)})
    assert found.dtype == kind
    assert found[0, 0, 1, 0].item() == -0.25
