import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from compiler.importers.config.text import inline, number

NUMBERS = {
    1e-5: "1e-5",
    0.02: "0.02",
    500000.0: "500000",
    1.5625e-7: "1.5625e-7",
    1e-12: "1e-12",
    10000.0: "10000",
    7: "7",
    0.5: "0.5",
}


@pytest.mark.parametrize("value", NUMBERS)
def test_numbers_as_a_person_writes_them(value: float) -> None:
    assert number(value) == NUMBERS[value]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_digit_is_lost(value: float) -> None:
    assert math.isclose(float(number(value)), value, rel_tol=0)


@given(st.recursive(st.booleans() | st.integers() | st.text(), st.lists, max_leaves=6))
def test_values_read_back(value: object) -> None:
    read = YAML(typ="safe", pure=True).load(f"key: {inline(value)}\n")
    assert read["key"] == value
