from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.importers.lazy import Lazy, Stored, join
from compiler.importers.misfit import Misfit
from compiler.importers.operators import (
    Deinterleave,
    Split,
    Squeeze,
    Stack,
    Transpose,
    Unstack,
    parse_operator,
)
from compiler.importers.regroup import Rearrange, Regroup
from tests.importers.samples import all_fit, counted, fits, lazy

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


@given(SHAPES)
def test_transpose_exchanges_the_last_two_and_undoes_itself(shape: tuple[int, ...]) -> None:
    tensor = counted(*shape)
    there = fits(Transpose().forward(lazy(tensor), {}))
    np.testing.assert_array_equal(
        there.read(), tensor if len(shape) < 2 else np.moveaxis(tensor, -1, -2)
    )
    assert Transpose().before(there.shape) == shape
    np.testing.assert_array_equal(fits(Transpose().backward(there, {})).read(), tensor)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 2))
def test_split_cuts_by_the_targets_and_is_undone(lengths: list[int], axis: int) -> None:
    shape = [2, 2, 2]
    shape[axis] = sum(lengths)
    goals = [(*shape[:axis], n, *shape[axis + 1 :]) for n in lengths]
    tensor = counted(*shape)
    parts = all_fit(Split(axis).forward(lazy(tensor), goals, {}))
    ours = [part.read() for part in parts]
    for one, other in zip(ours, np.split(tensor, np.cumsum(lengths)[:-1], axis), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(fits(Split(axis).backward(parts, {})).read(), tensor)


def test_deinterleave_deals_rows_and_is_undone() -> None:
    tensor = counted(6, 2)
    parts = all_fit(Deinterleave().forward(lazy(tensor), [(3, 2)] * 2, {}))
    np.testing.assert_array_equal(parts[0].read(), tensor[[0, 2, 4]])
    np.testing.assert_array_equal(parts[1].read(), tensor[[1, 3, 5]])
    np.testing.assert_array_equal(fits(Deinterleave().backward(parts, {})).read(), tensor)


def test_unstack_and_stack_are_each_others_inverse() -> None:
    tensor = counted(3, 2, 2)
    members = all_fit(Unstack().forward(lazy(tensor), {}))
    for member, wanted in zip(members, tensor, strict=True):
        np.testing.assert_array_equal(member.read(), wanted)
    np.testing.assert_array_equal(fits(Stack().forward(members, {})).read(), tensor)
    np.testing.assert_array_equal(fits(Unstack().backward(members, {})).read(), tensor)


def test_squeeze_drops_a_leading_one_and_is_undone() -> None:
    tensor = counted(1, 5)
    there = fits(Squeeze().forward(lazy(tensor), {}))
    np.testing.assert_array_equal(there.read(), tensor[0])
    np.testing.assert_array_equal(fits(Squeeze().backward(there, {})).read(), tensor)


def test_misfits_are_values() -> None:
    scalar, rows = lazy(counted()), lazy(counted(5, 2))
    assert isinstance(Squeeze().forward(rows, {}), Misfit)
    assert isinstance(Split().forward(rows, [(2, 2), (2, 2)], {}), Misfit)
    assert isinstance(Split(1).forward(rows, [(2,), (3,)], {}), Misfit)
    assert isinstance(Deinterleave().forward(rows, [(2, 2), (2, 2)], {}), Misfit)
    assert isinstance(Deinterleave().backward([rows, scalar], {}), Misfit)
    assert isinstance(Unstack().forward(scalar, {}), Misfit)
    assert isinstance(Unstack().backward([rows, scalar], {}), Misfit)


@pytest.mark.parametrize(
    ("text", "targets", "kind"),
    [
        ("transpose", 1, Transpose),
        ("split", 3, Split),
        ("split(1)", 2, Split),
        (" regroup(H 3 K) ", 3, Regroup),
        ("regroup(a b -> b a)", 1, Rearrange),
        ("unstack", 1, Unstack),
        ("stack", 1, Stack),
        ("deinterleave", 2, Deinterleave),
        ("squeeze", 1, Squeeze),
        ("flatten", 1, Misfit),
        ("split(9)", 2, Misfit),
        ("split(x)", 2, Misfit),
        ("", 1, Misfit),
    ],
)
def test_operators_are_read_from_text(text: str, targets: int, kind: type) -> None:
    assert isinstance(parse_operator(text, targets), kind)


def test_what_was_cut_apart_and_joined_is_the_tensor_itself() -> None:
    whole = lazy(np.arange(24).reshape(6, 4))
    parts = Split(0).forward(whole, [(1, 4), (2, 4), (3, 4)], {})
    assert isinstance(parts, list)
    assert join(parts) is whole
    for others in (parts[:2], parts[1:], parts[::-1]):
        made = join(others)
        assert np.array_equal(made.load(), np.concatenate([part.load() for part in others]))


def test_a_matrix_that_is_turned_twice_lies_as_it_did() -> None:
    place = Stored(Path("file"), 8)
    once = Transpose().forward(replace(lazy(np.zeros((2, 3))), stored=place), {})
    assert isinstance(once, Lazy) and once.stored == replace(place, turned=True)
    twice = Transpose().forward(once, {})
    assert isinstance(twice, Lazy) and twice.stored == place
