"""Letters: equal sizes of one role share one, everything else gets its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler.ir.letters import ROLES, SPARE, Letters
from compiler.ir.size import as_poly, letter, value

FIXED = sorted(set(ROLES) - {"batch", "target", "source", "seen", "cache"})
asks = st.lists(st.tuples(st.sampled_from(FIXED), st.integers(1, 4)), max_size=12)


def test_each_role_prefers_its_own_letter() -> None:
    for role, (preferred, meaning) in ROLES.items():
        key = Letters()
        assert key.fixed(role, 12) == letter(preferred)
        assert key.key[preferred].meaning == meaning


def test_a_second_size_of_a_role_takes_the_next_spare_letter() -> None:
    key = Letters()
    assert [str(key.fixed("width", size)) for size in (512, 768, 512, 1024)] == list("DWDY")
    assert key.sizes == {"D": 512, "W": 768, "Y": 1024}


def test_a_letter_that_another_role_has_taken_is_left_alone() -> None:
    key = Letters()
    assert key.free("source") == letter("S")
    assert key.free("seen") != letter("S")


@given(asks)
def test_no_letter_means_two_things(found: list[tuple[str, int]]) -> None:
    key = Letters()
    given_out = {ask: str(key.fixed(*ask)) for ask in found}
    assert len(set(given_out.values())) == len(given_out)
    for (role, size), name in given_out.items():
        assert (key.key[name].role, key.key[name].size) == (role, size)
        assert str(key.fixed(role, size)) == name


@given(asks)
def test_the_order_of_asking_decides_and_nothing_else(found: list[tuple[str, int]]) -> None:
    one, two = Letters(), Letters()
    assert [one.fixed(*ask) for ask in found] == [two.fixed(*ask) for ask in found]
    assert list(one.key) == list(two.key)


def test_free_lengths_of_one_meaning_are_one_length() -> None:
    key = Letters()
    T = key.free("target")
    assert key.free("target") == T
    assert key.free("target", "positions of another") != T
    assert key.sizes == {}


def test_fixing_puts_numbers_in_and_leaves_free_lengths() -> None:
    key = Letters()
    T, D = key.free("target"), key.fixed("width", 64)
    assert key.fix(2 * T * D) == 128 * T
    assert value(key.fix(D + 1)) == 65
    assert key.fix(3) == as_poly(3)


def test_what_the_spec_said_is_kept_unless_it_is_the_number() -> None:
    key = Letters()
    key.fixed("hidden", 2048, "4*d_model")
    key.fixed("width", 512, "512")
    assert key.key["M"].said == "4*d_model"
    assert key.key["D"].said == ""


def test_a_model_of_very_many_widths_says_some_of_them_as_numbers() -> None:
    key = Letters()
    found = [key.fixed("width", size) for size in range(100, 140)]
    assert [value(key.fix(size)) for size in found] == list(range(100, 140))
    assert found[0] == letter("D")
    assert found[-1] == as_poly(139)
    assert key.free("target") == letter("T")


def test_running_out_of_letters_for_lengths_is_said() -> None:
    key = Letters()
    for number in range(len(SPARE)):
        key.free("set", f"set {number}")
    with pytest.raises(OverflowError, match="more kinds of dimension than there are letters"):
        for number in range(5):
            key.free("set", f"another {number}")
