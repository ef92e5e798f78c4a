"""Shapes: what an operator says comes out does, and what does not fit is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler import ops
from compiler.ir.operator import Operator
from compiler.ir.signature import ShapeError
from compiler.ir.size import value
from compiler.ir.types import TensorType
from tests.ops.case import (
    IDS,
    KEY,
    LENGTHS,
    SEQUENCE,
    B,
    D,
    G,
    H,
    K,
    M,
    P,
    S,
    T,
    V,
    bools,
    floats,
    ints,
)
from tests.ops.cases import CASES, attention

ELEMENTS = {"float": "float64", "int": "int64", "bool": "bool"}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("lengths", [{}, {"B": 1, "T": 3}])
def test_what_is_inferred_is_what_comes_out(name: str, lengths: dict[str, int]) -> None:
    case = CASES[name]
    sizes = {**KEY.sizes, **LENGTHS, **lengths}
    inputs = case.given(**lengths)
    if "S" in name_letters(case.operator) and "pos" in inputs:
        sizes["S"] = inputs["pos"] + sizes["T"]
    if name == "CacheUpdate":
        sizes["S"] = sizes["T"]
    found = case.live().found(inputs)
    said = case.operator.infer(case.inputs, KEY)
    for tensor, kind in zip(found, said, strict=True):
        assert list(tensor.shape) == [value(size, sizes) for size in kind.shape]
        assert str(tensor.dtype).removeprefix("torch.") in (ELEMENTS[kind.element], "float32")


def name_letters(operator: Operator) -> str:
    """The dimensions of the outputs."""
    return "".join(dim for port in operator.signature.outputs for dim in port.dims)


@pytest.mark.parametrize(
    ("operator", "inputs", "said"),
    [
        (ops.Linear(M), [SEQUENCE], "float[B T M]"),
        (ops.Concat(), [SEQUENCE, floats(B, T, M)], "float[B T D+M]"),
        (ops.SplitHeads(H, 3), [SEQUENCE], "float[B H T 3]"),
        (ops.MergeHeads(), [floats(B, H, T, K)], "float[B T H*K]"),
        (ops.Split((M, K)), [floats(B, 26)], "float[B M], float[B K]"),
        (ops.Embedding(V, D), [ints(B)], "float[B D]"),
        (ops.CausalMask(S), [SEQUENCE, None, None, None], "bool[T S]?"),
        (ops.CausalMask(S, padded=True), [SEQUENCE, None, None, bools(B, S)], "bool[B 1 T S]"),
        (ops.LastPool(), [SEQUENCE, None], "float[B D]"),
    ],
)  # fmt: skip
def test_types_in_letters(operator: Operator, inputs: list[TensorType | None], said: str) -> None:
    found = operator.infer(inputs, KEY)
    assert ", ".join(map(str, found)) == said


@pytest.mark.parametrize(
    ("operator", "inputs", "message"),
    [
        (ops.Add(), [SEQUENCE, floats(B, T, M)], "`y` is [B T 20] here but [B T 12]"),
        (ops.AddRows(), [SEQUENCE, floats(S, D)], "dimension T of `rows` is S here but T there"),
        (ops.SplitHeads(H, K), [SEQUENCE], r"dimension (H*K) of `x` is 12 here but 24 there"),
        (attention(), [*(floats(B, H, T, k) for k in (4, 5, 5)), None],
         "dimension K of `k` is 5 here but 4 there"),
        (attention(), [floats(B, H, T, K), floats(B, G, S, K), floats(B, H, S, K), None],
         "dimension G of `v` is 4 here but 2 there"),
        (ops.Rotate(), [floats(B, H, T, K), floats(S, K)], "dimension T of `angle` is S here"),
        (ops.SharedLinear(), [SEQUENCE, floats(V, M)], "dimension D of `weight` is 20 here but 12"),
        (ops.EosPool(), [SEQUENCE, ints(B, S), None], "dimension T of `ids` is S here but T there"),
        (ops.FlattenGrid(P), [floats(B, D, 2, 2)], None),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_said(
    operator: Operator, inputs: list[TensorType | None], message: str | None
) -> None:
    if message is None:
        operator.infer(inputs, KEY)
        return
    with pytest.raises(ShapeError) as caught:
        operator.infer(inputs, KEY)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("operator", "inputs", "message"),
    [
        (ops.Embedding(V, D), [SEQUENCE], "port `ids` takes int values, not float"),
        (ops.Linear(M), [IDS], "port `x` takes float values, not int"),
        (ops.IndexPool(), [floats(B, D)], "port `x` takes 3 dimensions, not 2"),
        (ops.Add(), [SEQUENCE, None], "port `y` is empty"),
        (ops.Split((K, K)), [floats(B, 13)], "the parts add up to 2*K, not 13"),
    ],
)  # fmt: skip
def test_a_misuse_is_an_error(
    operator: Operator, inputs: list[TensorType | None], message: str
) -> None:
    with pytest.raises(ValueError, match=r"^.") as caught:
        operator.infer(inputs, KEY)
    assert message in str(caught.value)


def test_an_unknown_activation_is_refused() -> None:
    with pytest.raises(ValueError, match="no activation is called swish"):
        ops.Activation("swish")  # type: ignore[arg-type]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5))
def test_parts_add_up_to_the_whole(widths: list[int]) -> None:
    kinds = ops.Split(tuple(widths)).infer([floats(B, sum(widths))], KEY)
    assert [value(kind.shape[-1]) for kind in kinds] == widths
