import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.misfit import Misfit
from compiler.importers.regroup import Rearrange, Regroup, parse_regroup
from tests.importers.samples import Array, all_fit, counted, fits, lazy


def apart(pattern: str, targets: int) -> Regroup:
    operator = parse_regroup(pattern, targets)
    assert isinstance(operator, Regroup), operator
    return operator


def test_neox_rows_of_each_head_are_q_k_v() -> None:
    heads, head_dim, width = 4, 6, 5
    fused = counted(heads * 3 * head_dim, width)
    goals = [(heads * head_dim, width)] * 3
    parts = all_fit(apart("H 3 K", 3).forward(lazy(fused), goals, {"H": heads}))
    by_head = [fused[h * 3 * head_dim : (h + 1) * 3 * head_dim] for h in range(heads)]
    for number, part in enumerate(parts):
        rows = [head[number * head_dim : (number + 1) * head_dim] for head in by_head]
        np.testing.assert_array_equal(part.read(), np.concatenate(rows))


def test_falcon_groups_hold_their_queries_then_a_key_and_a_value() -> None:
    heads, groups, head_dim, width = 6, 2, 4, 3
    fused = counted((heads + 2 * groups) * head_dim, width)
    goals = [(heads * head_dim, width), *[(groups * head_dim, width)] * 2]
    operator = apart("G (H/G+2) K", 3)
    q, k, v = all_fit(operator.forward(lazy(fused), goals, {"G": groups, "H": heads}))
    rows = fused.reshape(groups, heads // groups + 2, head_dim, width)
    np.testing.assert_array_equal(q.read(), rows[:, :-2].reshape(-1, width))
    np.testing.assert_array_equal(k.read(), rows[:, -2].reshape(-1, width))
    np.testing.assert_array_equal(v.read(), rows[:, -1].reshape(-1, width))


def test_codegen_shards_hold_q_v_k() -> None:
    fused = counted(4 * 3 * 2, 2)
    q, v, k = all_fit(apart("4 3 x", 3).forward(lazy(fused), [(8, 2)] * 3, {}))
    shards = np.split(fused, 4)
    np.testing.assert_array_equal(q.read(), np.concatenate([shard[0:2] for shard in shards]))
    np.testing.assert_array_equal(v.read(), np.concatenate([shard[2:4] for shard in shards]))
    np.testing.assert_array_equal(k.read(), np.concatenate([shard[4:6] for shard in shards]))


def test_latent_attention_rows_are_nope_and_value_of_each_head() -> None:
    heads, nope, value = 3, 4, 2
    fused = counted(heads * (nope + value), 5)
    sizes = {"H": heads, "nope": nope, "v": value}
    goals = [(heads * nope, 5), (heads * value, 5)]
    k, v = all_fit(apart("H (nope+v)", 2).forward(lazy(fused), goals, sizes))
    np.testing.assert_array_equal(k.read(), fused.reshape(3, 6, 5)[:, :4].reshape(12, 5))
    np.testing.assert_array_equal(v.read(), fused.reshape(3, 6, 5)[:, 4:].reshape(6, 5))


def test_an_arrow_turns_adjacent_rotary_pairs_into_halves() -> None:
    operator = parse_regroup("H pairs 2 -> H 2 pairs", 1)
    assert isinstance(operator, Rearrange)
    fused = counted(2 * 6, 4)
    halves = fits(operator.forward(lazy(fused), {"H": 2})).read()
    adjacent = [0, 2, 4, 1, 3, 5]
    np.testing.assert_array_equal(halves, fused[[*adjacent, *(6 + n for n in adjacent)]])


def test_biases_are_told_apart_like_their_weights() -> None:
    parts = all_fit(apart("H 3 K", 3).forward(lazy(counted(12)), [(4,)] * 3, {"H": 2}))
    assert [list(part.read()) for part in parts] == [[0, 1, 6, 7], [2, 3, 8, 9], [4, 5, 10, 11]]


@given(
    outer=st.integers(1, 4),
    counts=st.lists(st.integers(1, 3), min_size=2, max_size=4),
    inner=st.integers(1, 4),
    rest=st.lists(st.integers(1, 3), max_size=2),
)
def test_backward_undoes_forward(
    outer: int, counts: list[int], inner: int, rest: list[int]
) -> None:
    operator = apart("a (n) b", len(counts))
    sizes = {"a": outer, "b": inner}
    fused = counted(outer * sum(counts) * inner, *rest)
    goals = [(outer * count * inner, *rest) for count in counts]
    parts = all_fit(operator.forward(lazy(fused), goals, sizes))
    assert [part.shape for part in parts] == goals
    assert [part.read().shape for part in parts] == goals
    np.testing.assert_array_equal(fits(operator.backward(parts, sizes)).read(), fused)


@given(st.permutations(["a", "b", "c"]), st.tuples(*[st.integers(1, 4)] * 3))
def test_an_arrow_is_undone(order: list[str], sizes: tuple[int, int, int]) -> None:
    operator = parse_regroup(f"a b c -> {' '.join(order)}", 1)
    assert isinstance(operator, Rearrange)
    known = dict(zip("abc", sizes, strict=True))
    tensor: Array = counted(int(np.prod(sizes)), 2)
    there = fits(operator.forward(lazy(tensor), known))
    np.testing.assert_array_equal(fits(operator.backward(there, known)).read(), tensor)


@pytest.mark.parametrize(
    ("pattern", "targets"),
    [
        ("", 3),
        ("H ? K", 3),
        ("H K", 3),
        ("3 3 K", 3),
        ("(a) (b)", 2),
        ("a b -> a", 1),
        ("a b -> b a", 2),
        ("a a -> a a", 1),
        ("H (3", 3),
    ],
)
def test_malformed_patterns_are_refused(pattern: str, targets: int) -> None:
    assert isinstance(parse_regroup(pattern, targets), Misfit)


@pytest.mark.parametrize("sizes", [{}, {"H": 5}, {"H": 4, "K": 7}])
def test_sizes_that_do_not_fit_are_refused(sizes: dict[str, int]) -> None:
    result = apart("H 3 K", 3).forward(lazy(counted(24, 2)), [(8, 2)] * 3, sizes)
    assert isinstance(result, Misfit)
