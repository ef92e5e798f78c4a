"""The torch text of every operator computes what its definition says."""

import copy

import pytest
import torch

from compiler import ops
from tests.backends.torch.live import apart
from tests.ops.case import IDS, SEQUENCE, Case, T, bools, floats
from tests.ops.cases import CASES, attention


@pytest.mark.parametrize("name", CASES)
def test_text_and_definition_agree(name: str) -> None:
    live = CASES[name].live()
    for seed, lengths in enumerate(({}, {"T": 3, "B": 1}, {"T": 4, "S": 9})):
        given = CASES[name].given(seed, **lengths)
        found, expected = live.found(given), live.expected(copy.deepcopy(given))
        assert len(found) == len(expected)
        for one, two in zip(found, expected, strict=True):
            assert one.dtype == two.dtype or "Angles" in name
            assert apart(one.double(), two.double()) <= 1e-6


def test_a_cache_remembers_what_it_was_given() -> None:
    live = CASES["CacheUpdate kv"].live()
    given = {**CASES["CacheUpdate kv"].given(T=4), "pos": 3}
    kv = given["kv"].clone()
    k, v = live.found(given)
    assert k.shape[2] == 3 + 4
    assert torch.equal(given["kv"][0, :, :, :7], k)
    assert torch.equal(given["kv"][1, :, :, :7], v)
    assert torch.equal(given["kv"][:, :, :, 7:], kv[:, :, :, 7:])
    assert torch.equal(k[:, :, :3], kv[0, :, :, :3])


def test_causal_mask_is_absent_without_a_cache() -> None:
    live = CASES["CausalMask"].live()
    assert live.found({**CASES["CausalMask"].given(), "kv": None, "pos": 0}) == (None,)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("CausalMask", (5, 7)), ("CausalMask padded", (3, 1, 5, 7)), ("KeyMask", (3, 1, 1, 7))],
)
def test_masks_have_the_shape_that_attention_broadcasts(name: str, shape: tuple[int, ...]) -> None:
    (mask,) = CASES[name].live().found(CASES[name].given())
    assert mask.dtype == torch.bool
    assert mask.shape == shape


def test_a_query_that_sees_nothing_gets_zeros() -> None:
    case = CASES["ScaledDotProductAttention seen"]
    (y,) = case.live().found(case.given())
    assert torch.equal(y[-1], torch.zeros_like(y[-1]))


def test_dropout_drops_in_training_only() -> None:
    case = CASES["Dropout"]
    live, given = case.live(), case.given()
    assert torch.equal(live.found(given)[0], given["x"])
    live.model.train()
    (y,) = live.found(given)
    kept = y != 0
    assert torch.equal(y[kept], 2 * given["x"][kept])
    assert 0.2 < kept.double().mean() < 0.8


def test_attention_drops_in_training_only() -> None:
    case = Case(attention(dropout=0.9), (*(floats(2, 2, T, 4),) * 3, None))
    live, given = case.live(), case.given()
    assert apart(live.found(given)[0], live.expected(given)[0]) <= 1e-6
    live.model.train()
    assert apart(live.found(given)[0], live.expected(given)[0]) > 1e-2


LOW = ("LayerNorm", "RmsNorm", "RmsNorm after", "RmsNorm offset", "Rotate", "Rotate adjacent",
       "ScaledDotProductAttention", "Linear bias", "MaskedMeanPool", "Sinusoid")  # fmt: skip


@pytest.mark.parametrize("name", [name for name in LOW if name in CASES])
def test_the_type_of_the_input_is_kept(name: str) -> None:
    case = CASES[name]
    live = case.live()
    live.model.to(torch.bfloat16)
    given = {k: v.bfloat16() if v.is_floating_point() else v for k, v in case.given().items()}
    (y,) = live.found(given)
    (expected,) = live.expected(case.given())
    assert y.dtype == torch.bfloat16
    assert apart(y.double(), expected) < 0.05


@pytest.mark.parametrize(
    ("multiply", "rounded_first"), [("before_cast", False), ("after_cast", True)]
)
def test_rms_norm_rounds_where_it_says(multiply: str, rounded_first: bool) -> None:
    case = Case(ops.RmsNorm(1e-6, multiply=multiply), (SEQUENCE,))  # type: ignore[arg-type]
    live = case.live()
    live.model.to(torch.bfloat16)
    x = case.given()["x"].bfloat16()
    weight = live.weights["it.weight"].bfloat16()
    unit = x.float() / (x.float().square().mean(-1, keepdim=True) + 1e-6).sqrt()
    once, twice = (unit * weight.float()).bfloat16(), unit.bfloat16() * weight
    assert not torch.equal(once, twice)
    found = live.found({"x": x})[0]
    wanted, other = (twice, once) if rounded_first else (once, twice)
    assert (found != wanted).double().mean() < (found != other).double().mean()


def test_grouped_queries_read_the_head_of_their_group() -> None:
    case = CASES["ScaledDotProductAttention grouped"]
    live, given = case.live(), case.given()
    (before,) = live.found(given)
    given["v"][:, 1] += 1
    (after,) = live.found(given)
    assert torch.equal(before[:, :2], after[:, :2])
    assert torch.allclose(before[:, 2:] + 1, after[:, 2:])


def test_an_eos_pool_without_its_token_takes_the_first_place() -> None:
    case = Case(ops.EosPool(7), (SEQUENCE, IDS, None))
    given = case.given()
    assert torch.equal(case.live().found(given)[0], given["x"][:, 0])


def test_masks_stay_on_the_device_of_the_input() -> None:
    case = Case(ops.LastPool(), (SEQUENCE, bools(*SEQUENCE.shape[:2])))
    given = {name: value.to("meta") for name, value in case.given().items()}
    assert case.live().model.to("meta")(x_BTD=given["x"], real_BT=given["real"]).is_meta
