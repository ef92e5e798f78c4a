"""Signatures: parsing, binding of letters, and what is said where sizes differ."""

import pytest

from compiler.ir.letters import Letters
from compiler.ir.signature import Port, ShapeError, Signature
from compiler.ir.size import Size, as_poly, letter
from compiler.ir.types import TensorType

KEY = Letters()
B, T, D = KEY.free("batch"), KEY.free("target"), KEY.fixed("width", 8)
H, K = KEY.fixed("heads", 2), KEY.fixed("head_dim", 4)


def floats(*shape: Size) -> TensorType:
    return TensorType("float", shape)


def test_ports_come_in_three_groups_with_their_marks() -> None:
    found = Signature.parse("x:*I, ids?:int BT; weight:OI, bias?:O -> y:*(I+O)")
    assert found.inputs == (
        Port("x", "float", ("*", "I")),
        Port("ids", "int", ("B", "T"), optional=True),
    )
    assert [port.name for port in found.parameters] == ["weight", "bias"]
    assert found.outputs == (Port("y", "float", ("*", "(I+O)")),)


NONE = ("x:*I", "x*I -> y:*", "x:*i -> y:*", "X:I -> y:I", "x:(I -> y:I")


@pytest.mark.parametrize("text", NONE)
def test_what_is_no_signature_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"signature|port|dimensions"):
        Signature.parse(text)


def test_a_letter_is_bound_where_it_stands_first() -> None:
    found = Signature.parse("x:*I; weight:OI -> y:*O").bind([floats(B, T, D)], {"O": 5}, KEY)
    assert found.letters["I"] == D
    assert found.leading == (B, T)
    assert found.shape(("*", "O")) == (B, T, as_poly(5))


def test_a_star_may_stand_for_nothing() -> None:
    found = Signature.parse("x:*I -> y:*").bind([floats(D)], {}, KEY)
    assert found.leading == ()


def test_products_and_sums_are_computed() -> None:
    found = Signature.parse("x:BT(H*K) -> y:BHTK").bind([floats(B, T, 8)], {"H": H, "K": K}, KEY)
    assert found.size("(H*K)") == H * K
    assert found.size("(2*H+K+1)") == 2 * H + K + 1


def test_equal_numbers_with_other_letters_are_equal() -> None:
    twice = Signature.parse("x:*D, y:*D -> z:*D")
    twice.bind([floats(B, T, D), floats(B, T, H * K)], {}, KEY)
    twice.bind([floats(B, T, 8), floats(B, T, D)], {}, KEY)


@pytest.mark.parametrize(
    ("text", "inputs", "message"),
    [
        ("x:*D, y:*D -> z:*D", [floats(B, T, D), floats(B, T, 7)],
         "dimension D of `y` is 7 here but 8 there"),
        ("x:*D, y:*D -> z:*D", [floats(B, T, D), floats(B, 3, D)],
         "`y` is [B 3] here but [B T] there"),
        ("x:*, y:* -> z:*", [floats(B, T), floats()],
         "`y` is [] here but [B T] there"),
        ("x:BT(H*K) -> y:BHTK", [floats(B, T, 9)],
         "dimension (H*K) of `x` is 9 here but 8 there"),
        ("x:2BT -> y:BT", [floats(3, B, T)],
         "dimension 2 of `x` is 3 here but 2 there"),
    ],
)  # fmt: skip
def test_sizes_that_differ_are_named_with_both_ends(
    text: str, inputs: list[TensorType], message: str
) -> None:
    with pytest.raises(ShapeError) as caught:
        Signature.parse(text).bind(inputs, {"H": H, "K": K} if "H" in text else {}, KEY)
    assert str(caught.value) == message


def test_an_absent_input_is_only_allowed_where_the_port_is_optional() -> None:
    found = Signature.parse("x?:*D, y:*D -> z:*D")
    assert found.bind([None, floats(B, D)], {}, KEY).letters["D"] == D
    with pytest.raises(ValueError, match="port `y` is empty"):
        found.bind([floats(B, D), None], {}, KEY)


def test_elements_and_ranks_must_fit() -> None:
    with pytest.raises(ValueError, match="port `ids` takes int values, not float"):
        Signature.parse("ids:int* -> y:*").bind([floats(B, T)], {}, KEY)
    with pytest.raises(ValueError, match="port `x` takes 3 dimensions, not 2"):
        Signature.parse("x:BTD -> y:BTD").bind([floats(B, T)], {}, KEY)
    with pytest.raises(ValueError, match="port `x` takes 2 dimensions, not 1"):
        Signature.parse("x:*TD -> y:TD").bind([floats(D)], {}, KEY)


def test_letters_of_the_model_do_not_leak_into_the_signature() -> None:
    found = Signature.parse("x:TB -> y:BT").bind([floats(letter("B"), letter("T"))], {}, KEY)
    assert found.shape(("B", "T")) == (letter("T"), letter("B"))
