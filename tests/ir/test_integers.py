"""Integers say their bits, what shares a scale, and how they are rounded."""

from compiler.ir.integers import Integers


def test_they_read_as_the_command_line_says_them() -> None:
    assert str(Integers(4, 32, "zero-point")) == "int4:32:zero-point"
    assert str(Integers(8, None, "symmetric")) == "int8:column:symmetric"
