"""Tensor types: how they print, count and name the tensors that have them."""

import pytest

from compiler.ir.size import letter
from compiler.ir.types import Element, TensorType

B, T, H, K = map(letter, "BTHK")


@pytest.mark.parametrize(
    ("element", "shape", "optional", "printed", "suffix"),
    [
        ("float", (B, T, 4), False, "float[B T 4]", "BT4"),
        ("float", (B, T, H * K), False, "float[B T H*K]", ""),
        ("int", (), False, "int[]", ""),
        ("bool", (T, T), True, "bool[T T]?", "TT"),
        ("float", (B, 12), False, "float[B 12]", ""),
    ],
)
def test_a_type_prints_and_gives_its_tensors_a_suffix(
    element: Element, shape: tuple[int, ...], optional: bool, printed: str, suffix: str
) -> None:
    found = TensorType(element, shape, optional)
    assert str(found) == printed
    assert found.suffix == suffix


def test_the_count_is_the_product_of_the_dimensions() -> None:
    assert TensorType("float", (B, T, H, 3)).count == 3 * B * T * H
    assert TensorType("int", ()).count.at({}).letters == frozenset()
    assert str(TensorType("int", ()).count) == "1"
