"""Maps of groups of rows: numbers in every type, what they cost, how parameters are called."""

from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from compiler.ir.letters import Letters
from compiler.ir.size import as_poly, value
from compiler.ir.types import TensorType
from compiler.ops import GroupedLinear
from compiler.ops.grouped_linear import source
from tests.ops.case import KEY, Case, E, T, floats, ints

I, O = 16, 24
N = 2 * T
ENDS = ([4, 4, 9, 10, 10], [0, 0, 0, 0, 10], [10] * 5)


def case(**fields: Any) -> Case:
    return Case(GroupedLinear(E, O, 2, **fields), (floats(N, I), ints(E)))


def inputs(end: list[int]) -> dict[str, torch.Tensor]:
    draw = torch.Generator().manual_seed(0)
    return {"rows": torch.randn(10, I, generator=draw).double(), "end": torch.tensor(end)}


@pytest.mark.parametrize("end", ENDS, ids=str)
@pytest.mark.parametrize("bias", [False, True])
def test_every_row_takes_the_map_of_its_group(end: list[int], bias: bool) -> None:
    live = case(bias=bias).live()
    given = inputs(end)
    (found,), (expected,) = live.found(given), live.expected(given)
    torch.testing.assert_close(found, expected, atol=1e-6, rtol=0)


def module(bias: bool, aligned: bool) -> type[nn.Module]:
    """The class beside the model's classes."""
    names = {"torch": torch, "nn": nn, "F": nn.functional, "Tensor": torch.Tensor}
    exec(source(bias, aligned).replace("{name}", "Maps"), names)
    made: type[nn.Module] = names["Maps"]  # type: ignore[assignment]  # what the text defines
    return made


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("bias", [False, True])
def test_grouped_or_not_the_numbers_are_the_same(dtype: torch.dtype, bias: bool) -> None:
    one, two = (module(bias, aligned)(5, I, O).to(dtype) for aligned in (True, False))
    two.load_state_dict(one.state_dict())
    rows, end = inputs(ENDS[0])["rows"].to(dtype), torch.tensor(ENDS[0])
    found, wanted = one(rows, end), two(rows, end)
    assert found.dtype == wanted.dtype == dtype
    bar = {torch.bfloat16: 2e-2, torch.float16: 2e-3}.get(dtype, 1e-6)
    torch.testing.assert_close(found, wanted, atol=bar, rtol=bar)


def test_gradients_are_those_of_single_maps() -> None:
    maps: Any = module(True, True)(5, I, O)
    rows = inputs(ENDS[0])["rows"].float().requires_grad_()
    torch.autograd.backward(maps(rows, torch.tensor(ENDS[0])).square().sum())
    again = rows.detach().clone().requires_grad_()
    weight, bias = (p.detach().clone().requires_grad_() for p in (maps.weight, maps.bias))
    owner = [next(g for g, end in enumerate(ENDS[0]) if n < end) for n in range(10)]
    y = [nn.functional.linear(again[n], weight[g], bias[g]) for n, g in enumerate(owner)]
    torch.autograd.backward(torch.stack(y).square().sum())
    for found, wanted in ((rows, again), (maps.weight, weight), (maps.bias, bias)):
        torch.testing.assert_close(found.grad, wanted.grad, atol=1e-4, rtol=1e-5)


def test_torch_counts_the_rows_of_each_map_alone() -> None:
    """In bfloat16, whose grouped products torch traces; all maps take all rows in float32."""
    maps = module(False, True)(5, I, O).to("meta")
    rows, end = (torch.zeros(size, device="meta") for size in ((10, I), (5,)))
    costs = case().operator
    types = costs.infer(case().inputs, KEY)
    counted = costs.cost(costs.use(case().inputs, types, KEY)).total("matmul")
    wanted = value(counted, {**KEY.sizes, "T": 5})
    mapping: Any = {torch.ops.aten._grouped_mm: lambda a, b, *_, **__: 2 * a[0] * a[1] * b[2]}
    for dtype, times in ((torch.bfloat16, 1), (torch.float32, 5)):
        counter: Any = FlopCounterMode(display=False, custom_mapping=mapping)
        with counter:
            maps.to(dtype)(rows.to(dtype), end)
        assert counter.get_total_flops() == times * wanted == times * 2 * 10 * I * O


def test_a_position_makes_use_of_its_own_maps() -> None:
    operator = case().operator
    assert operator.active(as_poly(E) * I * O) == as_poly(2) * I * O
    assert operator.active(as_poly(E) * I * O).at({"E": 5}) == as_poly(2 * I * O)


def test_parameters_stand_apart_until_they_are_stacked() -> None:
    apart = case(bias=True).program().parameters()
    assert list(apart) == [f"{g}.it.{kind}" for kind in ("weight", "bias") for g in range(5)]
    assert {tuple(map(value, found.shape)) for found in apart.values()} == {(O, I), (O,)}
    stacked = case(bias=True, stacked=True).program().parameters()
    sizes = {name: tuple(value(n, KEY.sizes) for n in p.shape) for name, p in stacked.items()}
    assert sizes == {"it.weight": (5, O, I), "it.bias": (5, O)}


def test_widths_in_steps_of_eight_are_grouped() -> None:
    assert "grouped_mm" in case().live().generated.text
    odd = Case(GroupedLinear(E, 20, 2), (floats(N, I), ints(E)))
    assert "grouped_mm" not in odd.live().generated.text


def test_rows_of_another_width_do_not_fit() -> None:
    operator = GroupedLinear(4, O, 2)
    types = [TensorType("float", (10, I)), TensorType("int", (5,))]
    with pytest.raises(Exception, match="E"):
        operator.infer(types, Letters())
