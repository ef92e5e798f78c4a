"""Costs of single operators against counts by hand and by torch's own counter."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from compiler import ops
from compiler.ir.cost import Cost
from compiler.ir.size import value
from tests.ops.case import KEY, LENGTHS, Case
from tests.ops.cases import CASES

ELEMENTWISE = {
    "Activation gelu": 8, "Activation gelu_tanh": 8, "Activation quick_gelu": 6,
    "Activation relu": 1, "Activation relu2": 2, "Activation silu": 5, "Activation tanh": 5,
    "Activation sigmoid": 4, "Add": 1, "AddRows": 1, "Multiply": 1, "Scale": 1, "LayerNorm": 5,
    "LayerNorm plain": 5, "RmsNorm": 4, "L2Norm": 3, "LayerScale": 1,
}  # fmt: skip
"""FLOPs for each element that comes out, by the rules in ELECTRA's flops_computation.py."""

FREE = ("CacheUpdate", "Concat", "Dropout", "Embedding", "EosPool", "IndexPool", "KeyMask",
        "LastPool", "LastPosition", "LearnedPositions", "MergeHeads", "Prepend", "SharedEmbedding",
        "Split", "SplitHeads", "TypeEmbedding", "CausalMask", "FlattenGrid")  # fmt: skip


def cost(case: Case) -> Cost:
    types = case.operator.infer(case.inputs, KEY)
    return case.operator.cost(case.operator.use(case.inputs, types, KEY))


def number(case: Case, name: str, **lengths: int) -> int:
    return value(cost(case).total(name), {**KEY.sizes, **LENGTHS, **lengths})


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("lengths", [{}, {"B": 2, "T": 4, "S": 4}])
def test_matrix_products_are_what_torch_counts(name: str, lengths: dict[str, int]) -> None:
    case = CASES[name]
    live = case.live()
    live.model.to("meta")  # on the CPU a fused attention hides its products from the counter
    given = case.given(**lengths)
    inputs = {k: v.to("meta") if isinstance(v, torch.Tensor) else v for k, v in given.items()}
    with FlopCounterMode(display=False) as counter:
        live.found(inputs)
    assert number(case, "matmul", **lengths) == counter.get_total_flops()


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise_work_is_counted_by_the_element(name: str) -> None:
    case = CASES[name]
    (y,) = case.live().found(case.given())
    assert number(case, "elementwise") == ELEMENTWISE[name] * y.numel()


@pytest.mark.parametrize("name", [n for n in CASES if n.partition(" ")[0] in FREE])
def test_moving_and_choosing_costs_no_arithmetic(name: str) -> None:
    assert number(CASES[name], "matmul") == 0
    assert number(CASES[name], "elementwise") == 0


def attention(causal: bool, B: int, T: int, S: int) -> dict[str, int]:
    case = CASES["ScaledDotProductAttention grouped"]
    found = Case(ops.ScaledDotProductAttention(causal=causal, grouped=True), case.inputs)
    names = ("matmul", "visible", "scores", "statistics")
    return {name: number(found, name, B=B, T=T, S=S) for name in names}


lengths = st.tuples(st.integers(1, 4), st.integers(1, 9), st.integers(0, 9))


@given(lengths, st.booleans())
def test_attention_by_brute_force(sizes: tuple[int, int, int], causal: bool) -> None:
    B, T, earlier = sizes
    S = T + earlier
    H, K, W = (KEY.sizes[name] for name in "HKW")
    pairs = list(itertools.product(range(T), range(S)))
    seen = [pair for pair in pairs if not causal or pair[1] <= S - T + pair[0]]
    each = 2 * B * H * (K + W)  # a product with the key, a share of the value; 2 FLOPs a product
    assert attention(causal, B, T, S) == {
        "matmul": each * len(pairs),
        "visible": each * len(seen),
        "scores": B * H * len(pairs),
        "statistics": B * H * T,
    }


def test_a_cache_keeps_keys_and_values_of_all_that_was_seen() -> None:
    case = CASES["CacheUpdate kv"]
    kept = case.given(B=3, C=7)["kv"]
    assert number(case, "state", B=3, S=7) == kept.numel()


def test_a_bias_is_one_addition_an_element() -> None:
    with_bias, without = CASES["SharedLinear bias"], CASES["SharedLinear"]
    (y,) = without.live().found(without.given())
    assert number(with_bias, "elementwise") - number(without, "elementwise") == y.numel()


@given(st.integers(1, 6), st.integers(1, 6))
def test_costs_grow_with_batch_and_length(B: int, T: int) -> None:
    for name in ("Linear", "ScaledDotProductAttention", "RmsNorm", "SharedLinear"):
        small = cost(CASES[name])
        for figure in ("matmul", "elementwise", "visible"):
            now = number(CASES[name], figure, B=B, T=T, S=T)
            assert now <= number(CASES[name], figure, B=B + 1, T=T, S=T)
            assert now <= number(CASES[name], figure, B=B, T=T + 1, S=T + 1)
        assert isinstance(small, Cost)


def test_formulas_are_in_the_letters_of_the_signature() -> None:
    assert str(cost(CASES["Linear"]).total("matmul")) == "2*B*D*M*T"
    assert str(cost(CASES["ScaledDotProductAttention"]).total("scores")) == "B*H*T**2"
