"""The Transformer against torch's layers, where its norms stand, and what a gated network costs."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from compiler.pipeline import cost
from compiler.report.costs import CostReport
from compiler.verify.difference import apart
from compiler.verify.module import call, shake
from tests.history.chapter import SPECS, Page, page
from tests.history.reference import D, H, L, M, Reference, V

SIZES = (f"d_model={D}", f"n_layers={L}", f"vocab={V}")
POST = ("10-transformer-base", "10-transformer-big")
PRE = ("10-pre-norm", "10-rmsnorm", "10-swiglu")
HIDDEN = 128  # 8/3 D rounded up to 64
FORMS: dict[str, dict[str, Any]] = {
    "10-transformer-base": {},
    "10-transformer-big": {"heads": 2 * H},
    "10-pre-norm": {"pre": True},
    "10-rmsnorm": {"pre": True, "rms": True},
    "10-swiglu": {"pre": True, "rms": True, "gated": HIDDEN},
}


def small(name: str) -> Page:
    heads = FORMS[name].get("heads", H)
    hidden = () if name == "10-swiglu" else (f"d_ff={M}",)
    return page(name, *SIZES, f"n_heads={heads}", *hidden)


def sentences() -> dict[str, Tensor]:
    """Two pairs; the second source ends in padding."""
    draw = torch.Generator().manual_seed(0)
    real = torch.ones(2, 9, dtype=torch.bool)
    real[1, 6:] = False
    return {
        "src_ids": torch.randint(V, (2, 9), generator=draw),
        "src_ids_mask": real,
        "tgt_ids": torch.randint(V, (2, 7), generator=draw),
    }


@pytest.mark.parametrize("name", FORMS)
def test_it_is_made_of_the_layers_of_torch(name: str) -> None:
    found, given = small(name), sentences()
    reference = Reference(**FORMS[name])
    shake(reference)
    found.model.load_state_dict(reference.by_our_names(), strict=True)
    wanted = reference(given["src_ids"], given["src_ids_mask"], given["tgt_ids"]).detach()
    assert apart(found.both(**given), [wanted]) <= 1e-5


def silent(name: str) -> nn.Module:
    """A model whose output projections are zero."""
    model = small(name).model
    for path, parameter in model.named_parameters():
        if {"o", "down"} & set(path.split(".")):
            nn.init.zeros_(parameter)
    return model


def through(model: nn.Module) -> list[tuple[Tensor, Tensor]]:
    """What goes into and comes out of each block of both stacks."""
    seen: list[tuple[Tensor, Tensor]] = []

    def keep(block: nn.Module, given: tuple[Any, ...], made: Tensor) -> None:
        seen.append((given[0], made))

    for stack in ("memory", "dec"):
        for block in model.get_submodule(stack).children():
            block.register_forward_hook(keep)
    with torch.no_grad():
        call(model, sentences())
    assert len(seen) == 2 * L
    return seen


@pytest.mark.parametrize("name", PRE)
def test_a_silent_pre_norm_block_is_the_identity(name: str) -> None:
    for before, after in through(silent(name)):
        assert torch.equal(before, after)


@pytest.mark.parametrize("name", POST)
def test_a_silent_post_norm_block_is_not(name: str) -> None:
    """It is its norms, one behind the other."""
    for before, after in through(silent(name)):
        assert (before - after).abs().max() > 0.1


@pytest.mark.parametrize("name", PRE)
def test_a_pre_norm_stack_hands_its_gradient_down_whole(name: str) -> None:
    """The derivative of a silent stack is the unit matrix, however deep it is."""
    model = silent(name)
    x = torch.randn(1, 5, D, requires_grad=True)
    y: Tensor = x
    for block in model.get_submodule("memory").children():
        y = block(y, torch.ones(1, 1, 1, 5, dtype=torch.bool))
    (down,) = torch.autograd.grad(y[0, 2, 3], x)
    assert down.nonzero().tolist() == [[0, 2, 3]]
    assert down[0, 2, 3] == 1


def counted(name: str, *patches: str) -> CostReport:
    return cost(str(SPECS / f"{name}.yaml"), set=list(patches), at={"B": 1, "T": 64, "S": 64})


@pytest.mark.parametrize(
    ("name", "millions"), [("10-transformer-base", 65), ("10-transformer-big", 213)]
)
def test_parameters_are_those_of_the_paper(name: str, millions: int) -> None:
    """Vaswani et al. 2017, table 3, as far as an unpublished vocabulary lets one count."""
    assert counted(name).totals["parameters"] == pytest.approx(millions * 1e6, rel=0.03)


def test_root_mean_square_norms_have_half_the_parameters() -> None:
    """Two a layer of six, three a layer of six, one at each end: a bias of 512 less for each."""
    few, many = (counted(name).totals["parameters"] for name in ("10-rmsnorm", "10-pre-norm"))
    assert many - few == (2 * 6 + 3 * 6 + 2) * 512


def feed_forward(name: str, *patches: str) -> tuple[int, int]:
    """Parameters and matmul FLOPs of all mlps, without norms."""
    found = {"up", "gate", "down"}
    rows = [
        row
        for row in counted(name, *patches).document()["rows"]
        if row["path"].split(".")[-2:-1] == ["mlp"] and row["path"].split(".")[-1] in found
    ]
    assert rows
    return sum(row["parameters"] for row in rows), sum(row["matmul_flops"] for row in rows)


@pytest.mark.parametrize("width", [192, 384, 768, 1536])
def test_a_gated_network_at_8_3_costs_what_the_plain_one_costs_at_4(width: int) -> None:
    """Widths where 8/3 D needs no rounding: 8 D² weights either way, biases (5 D) aside."""
    gated, plain = (
        feed_forward(name, f"d_model={width}", *hidden)
        for name, hidden in (("10-swiglu", ()), ("10-rmsnorm", (f"d_ff={4 * width}",)))
    )
    assert gated[0] == 12 * 8 * width**2 == plain[0] - 12 * 5 * width
    assert gated[1] == plain[1]


@pytest.mark.parametrize("width", [512, 1024, 2048, 4096])
def test_rounding_adds_less_than_64_rows_to_each_matrix(width: int) -> None:
    gated, _ = feed_forward("10-swiglu", f"d_model={width}")
    assert 0 < gated - 12 * 8 * width**2 < 12 * 3 * 64 * width
