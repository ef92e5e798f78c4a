"""Scaling laws: how totals answer to `--set` of a size or to a length, whatever the model."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import pairwise

import pytest

from compiler.passes.cost import cost
from compiler.passes.metrics import totals
from tests.passes.samples import chosen, lowered, named

GPT2, LLAMA, MIXTRAL = "decoder/gpt2", "decoder/llama3-8b", "decoder/mixtral-8x7b"
STATES = ("parameters", "weights_bytes", "gradients_bytes", "optimizer_bytes")
WORK = ("matmul_flops", "backward_flops", "training_flops")


@cache
def counted(
    name: str, sizes: tuple[tuple[str, int], ...], at: tuple[tuple[str, int], ...]
) -> Mapping[str, int]:
    """The totals of a shipped spec with some of its sizes set, at some lengths."""
    spec = named(name, **dict(sizes))
    program = lowered(spec)
    costs = cost(program)
    return dict(totals(costs, chosen(program, costs, spec, dict(at))))


def along(
    name: str, points: Sequence[int], set_: Callable[[int], dict[str, int]], figure: str
) -> list[int]:
    """A total at several sizes."""
    return [counted(name, tuple(set_(n).items()), ())[figure] for n in points]


def over(
    name: str, points: Sequence[int], at: Callable[[int], dict[str, int]], figure: str
) -> list[int]:
    """A total at several lengths."""
    return [counted(name, (), tuple(at(n).items()))[figure] for n in points]


def differences(values: Sequence[int], times: int) -> list[int]:
    """What is left of equally spaced values: zero from one more than their degree on."""
    found = list(values)
    for _ in range(times):
        found = [after - before for before, after in pairwise(found)]
    return found


@pytest.mark.parametrize("name", [GPT2, LLAMA, MIXTRAL])
@pytest.mark.parametrize(
    "figure", [*STATES, *WORK, "all_flops", "kv_bytes", "read_bytes", "written_bytes"]
)
def test_each_layer_adds_the_same(name: str, figure: str) -> None:
    values = along(name, (2, 4, 6, 8), lambda n: {"n_layers": n}, figure)
    slope, *_ = differences(values, 1)
    assert slope > 0
    assert differences(values, 2) == [0, 0]
    if figure == "kv_bytes":
        assert values[0] == slope  # nothing but layers keeps any


@pytest.mark.parametrize(("name", "maps"), [(GPT2, 2), (LLAMA, 3)])
def test_a_hidden_unit_costs_its_row_and_column_in_every_map(name: str, maps: int) -> None:
    """2 multiply-add for each weight and position: the rule of 2N (Kaplan et al. 2020)."""
    values = along(name, (64, 65, 66), lambda n: {"d_ff": n}, "linear_flops")
    weights = along(name, (64, 65, 66), lambda n: {"d_ff": n}, "parameters")
    layers, width, length = {GPT2: (12, 768, 1024), LLAMA: (32, 4096, 8192)}[name]
    assert differences(values, 1) == [2 * layers * maps * width * length] * 2
    biases = layers if name == GPT2 else 0
    assert differences(weights, 1) == [layers * maps * width + biases] * 2


@pytest.mark.parametrize(("name", "tables"), [(GPT2, 1), (LLAMA, 2)])
def test_a_word_costs_its_row_in_every_table(name: str, tables: int) -> None:
    """Once where the head is tied, and a product with the head either way."""
    width, length = {GPT2: (768, 1024), LLAMA: (4096, 8192)}[name]
    weights = along(name, (1000, 1001), lambda n: {"vocab": n}, "parameters")
    work = along(name, (1000, 1001), lambda n: {"vocab": n}, "matmul_flops")
    assert differences(weights, 1) == [tables * width]
    assert differences(work, 1) == [2 * width * length]


def test_width_is_squared_in_maps_and_once_in_attention() -> None:
    """Heads of 64 as in GPT-2, so that their number grows with the width."""

    def wide(n: int) -> dict[str, int]:
        return {"d_model": 64 * n, "n_heads": n}

    points = (4, 8, 12, 16, 20)
    maps = along(GPT2, points, wide, "linear_flops")
    assert differences(maps, 3) == [0, 0]
    assert min(differences(maps, 2)) > 0
    pairs = along(GPT2, points, wide, "attention_flops")
    assert [value * points[0] for value in pairs] == [pairs[0] * n for n in points]
    matrix = along(GPT2, points, wide, "attention_matrix_bytes_total")
    assert [value * points[0] for value in matrix] == [matrix[0] * n for n in points]


@pytest.mark.parametrize("groups", [1, 2, 4, 8])
def test_caches_are_as_many_times_smaller_as_key_heads_are_fewer(groups: int) -> None:
    whole, fewer = along(LLAMA, (32, groups), lambda n: {"n_kv_heads": n}, "kv_bytes_per_token")
    assert whole * groups == fewer * 32
    pairs = along(LLAMA, (32, groups), lambda n: {"n_kv_heads": n}, "attention_flops")
    assert pairs[0] == pairs[1]


def test_experts_add_weights_and_no_work_but_that_of_the_router() -> None:
    """Only the chosen two run (Jiang et al. 2024, section 2.1)."""

    def many(n: int) -> dict[str, int]:
        return {"n_experts": n}

    points = (4, 8, 12)
    active = along(MIXTRAL, points, many, "parameters_active")
    assert differences(active, 1) == [32 * 4096 * 4] * 2  # a router's columns
    assert differences(along(MIXTRAL, points, many, "parameters"), 2) == [0]
    work = along(MIXTRAL, points, many, "matmul_flops")
    assert differences(work, 1) == [2 * 32 * 4096 * 4 * 32768] * 2  # for each of 32 k positions


@pytest.mark.parametrize("name", [GPT2, LLAMA, MIXTRAL, "encoder/bert-base", "vision/vit-b16-cls"])
@pytest.mark.parametrize("figure", [*WORK, "attention_matrix_bytes_total", "kv_bytes"])
def test_sequences_cost_the_same_each(name: str, figure: str) -> None:
    one, *more = over(name, (1, 2, 7), lambda n: {"B": n}, figure)
    assert more == [2 * one, 7 * one]


@pytest.mark.parametrize("name", [GPT2, LLAMA, "encoder/bert-base"])
def test_pairs_grow_with_the_square_and_maps_with_the_length(name: str) -> None:
    maps = over(name, (64, 128, 192), lambda n: {"T": n}, "linear_flops")
    assert differences(maps, 2) == [0]
    pooler = 2 * 768 * 768 if name == "encoder/bert-base" else 0  # of one position
    assert maps[1] - pooler == 2 * (maps[0] - pooler)
    square = over(name, (64, 256), lambda n: {"T": n}, "attention_flops")
    assert square[1] == 16 * square[0]
    visible = over(name, (64, 256), lambda n: {"T": n}, "attention_flops_causal")
    pairs = [n * (n + 1) // 2 if name != "encoder/bert-base" else n * n for n in (64, 256)]
    assert visible[1] * pairs[0] == visible[0] * pairs[1]
