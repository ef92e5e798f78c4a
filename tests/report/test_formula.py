"""Formulas for people say the same as the sizes that they print."""

from compiler.ir.size import half, letter, value
from compiler.report.formula import formula, with_numbers

B, T, D = letter("B"), letter("T"), letter("D")


def test_products_and_powers() -> None:
    assert formula(2 * B * T * D) == "2·B·D·T"
    assert formula(half(T * (T + 1))) == "T²/2 + T/2"
    assert formula(T**12) == "T¹²"
    assert formula(7) == "7"


def test_numbers_in_place_of_letters() -> None:
    assert with_numbers(2 * B * T * D, {"B": 1, "T": 1024, "D": 768}) == "2·1·768·1\u202f024"
    assert with_numbers(B * T, {"T": 3}) == "B·3"
    assert with_numbers((T * D + B) // 4, {"T": 3, "D": 5, "B": 7}) == "floor((5·3 + 7) / 4)"


def test_what_is_put_in_is_what_is_counted() -> None:
    size = 3 * B * T**2 + 5 * D
    sizes = {"B": 2, "T": 11, "D": 13}
    text = with_numbers(size, sizes).replace("·", "*").replace("²", "**2")
    assert eval(text) == value(size, sizes)
