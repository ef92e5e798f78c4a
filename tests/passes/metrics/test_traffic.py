"""Bytes read and written: counted by hand tensor by tensor, and their laws."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from archspec.load import load
from compiler.passes.cost import Costs, cost
from compiler.passes.metrics import exact, totals
from compiler.passes.metrics.traffic import read_bytes, written_bytes
from compiler.passes.setting import USUAL, Setting
from tests.passes.samples import LLAMA, chosen, counted, lowered, named
from tests.shipped import EVERY

FEW = settings(max_examples=30, deadline=None)
EAGER = Setting(kernel="eager")


@cache
def costs_of(name: str) -> Costs:
    return cost(lowered(named(name)))


def at_once(name: str, setting: Setting = USUAL, **at: int) -> Mapping[str, int]:
    spec = named(name)
    program = lowered(spec)
    costs = cost(program)
    return totals(costs, chosen(program, costs, spec, at), setting)


class Memory:
    """Counts the bytes of whole tensors, given by their sizes, as a program would touch them."""

    def __init__(self) -> None:
        self.read = self.written = 0

    def step(self, reads: list[tuple[int, ...]], writes: list[tuple[int, ...]]) -> None:
        """One operator by itself, in bf16."""
        self.read += sum(2 * _elements(shape) for shape in reads)
        self.written += sum(2 * _elements(shape) for shape in writes)


def _elements(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def by_hand(B: int, T: int, S: int, *, fused: bool) -> Memory:
    """`LLAMA`, operator by operator."""
    V, D, L, H, G, K, M = 97, 24, 3, 4, 2, 6, 40
    seen = Memory()
    x, hidden = (B, T, D), (B, T, M)
    q, new, old, angle = (B, T, H, K), (B, T, G, K), (B, S, G, K), (T, K)
    seen.step([(B, T, D)], [x])  # rows of the table
    seen.read += 8 * B * T  # their ids
    seen.step([], [angle])
    for _ in range(L):
        seen.step([x, (D,)], [x])
        seen.step([x, (D, H * K)], [q])
        seen.step([x, (D, G * K)], [new])
        seen.step([x, (D, G * K)], [new])
        seen.step([q, angle], [q])
        seen.step([new, angle], [new])
        seen.step([new, new], [new, new])  # into the cache
        seen.step([q, old, old], [q])
        if fused:
            seen.written += 4 * B * H * T
        else:
            scores = (B, H, T, S)
            seen.step([scores, scores], [scores, scores])
        seen.step([q, (H * K, D)], [x])
        seen.step([x, x], [x])
        seen.step([x, (D,)], [x])
        seen.step([x, (D, M)], [hidden])
        seen.step([x, (D, M)], [hidden])
        seen.step([hidden], [hidden])
        seen.step([hidden, hidden], [hidden])
        seen.step([hidden, (M, D)], [x])
        seen.step([x, x], [x])
    seen.step([x, (D,)], [x])
    seen.step([x, (D, V)], [(B, T, V)])
    return seen


@FEW
@given(new=st.integers(1, 20), before=st.integers(0, 20), batch=st.integers(1, 3))
@pytest.mark.parametrize("setting", [USUAL, EAGER], ids=lambda setting: setting.kernel)
def test_a_llama_counted_by_hand(setting: Setting, new: int, before: int, batch: int) -> None:
    program = lowered(load(LLAMA))
    figures = totals(cost(program), {"B": batch, "T": new, "S": before + new}, setting)
    fused = setting.kernel == "fused"
    whole = by_hand(batch, new, before + new, fused=fused)
    one = by_hand(batch, 1, before + new, fused=fused)
    assert (figures["read_bytes"], figures["written_bytes"]) == (whole.read, whole.written)
    assert figures["decode_read_bytes"] == one.read
    assert figures["decode_written_bytes"] == one.written


def test_every_weight_is_read_once_and_of_a_table_the_rows_that_are_picked() -> None:
    _, figures = counted(load(LLAMA), B=3, T=7, S=9)
    tables = 97 * 24
    assert figures["decode_weights_bytes"] == 2 * (figures["parameters"] - tables + 3 * 24)


def test_a_tied_table_is_read_by_the_row_and_then_whole() -> None:
    figures = at_once("decoder/gpt2", B=1, T=1024, S=1024)
    rows = 768
    positions = 1024 * 768  # a slice of them, read by what adds it
    assert figures["decode_weights_bytes"] == 2 * (figures["parameters"] - positions + rows)


@pytest.mark.parametrize(
    ("batch", "touched"), [(1, 2), (2, 4), (3, 6), (4, 8), (5, 8), (64, 8)], ids=str
)
def test_experts_are_read_for_a_choice_each_at_most(batch: int, touched: int) -> None:
    """Mixtral: the count of everything but experts, and so many of eight."""
    figures = at_once("decoder/mixtral-8x7b", B=batch, T=1, S=4096)
    expert = 32 * 3 * 4096 * 14336
    others = 46_702_792_704 - 8 * expert - 32000 * 4096
    assert figures["decode_weights_bytes"] == 2 * (others + batch * 4096 + touched * expert)


def test_latent_attention_reads_its_rows_once_for_all_heads() -> None:
    """DeepSeek-V2 2024, table 1: (512 + 64) elements a layer and position."""
    one, two = (at_once("decoder/deepseek-v3", B=1, T=1, S=size) for size in (5000, 6000))
    rows = 61 * 576 * 2 * 1000
    masks = 0
    assert two["decode_read_bytes"] - one["decode_read_bytes"] == rows + masks


@pytest.mark.parametrize(
    ("name", "per_token"),
    [
        ("decoder/llama3.1-8b", 131_072),
        ("decoder/llama3.1-70b", 327_680),
        ("decoder/llama3.1-405b", 516_096),
    ],
)
def test_a_step_reads_the_whole_cache(name: str, per_token: int) -> None:
    """Published bytes of keys and values a token; the famous table doubled the 405B row."""
    one, two = (at_once(name, B=2, T=1, S=size) for size in (1000, 3000))
    assert two["decode_read_bytes"] - one["decode_read_bytes"] == 2 * 2000 * per_token


@pytest.mark.parametrize("name", EVERY)
def test_rows_add_up_and_eager_moves_more(name: str) -> None:
    spec = named(name)
    program = lowered(spec)
    costs = cost(program)
    at = chosen(program, costs, spec, {})
    for setting in (USUAL, EAGER):
        figures = totals(costs, at, setting)
        for figure, whole in ((read_bytes, "read_bytes"), (written_bytes, "written_bytes")):
            rows = [exact(costs, figure(row, setting), at) for row in costs.rows]
            assert all(size >= 0 for size in rows)
            assert sum(rows) == figures[whole]
    fused, eager = (totals(costs, at, setting) for setting in (USUAL, EAGER))
    fusible = any(row.traffic.total("scores").terms for row in costs.rows)
    assert (eager["read_bytes"] > fused["read_bytes"]) == fusible
    assert (eager["written_bytes"] > fused["written_bytes"]) == fusible


@pytest.mark.parametrize("name", EVERY)
def test_more_rows_and_wider_numbers_move_more(name: str) -> None:
    spec = named(name)
    program = lowered(spec)
    costs = cost(program)
    at = chosen(program, costs, spec, {})
    double = {**at, costs.batch: 2 * at[costs.batch]} if costs.batch else at
    pairs = any(row.operator == "Contrast" for row in costs.rows)  # of rows of a batch
    once, twice = totals(costs, at), totals(costs, double)
    wide = totals(costs, at, replace(USUAL, precision="fp32"))
    for figure in ("read_bytes", "written_bytes"):
        assert once[figure] <= twice[figure]
        assert pairs or twice[figure] <= 2 * once[figure]
        assert once[figure] < wide[figure] <= 2 * once[figure]
