"""Several heads: torch's own, widths of their own, and what does not depend on their number."""

import pytest
import torch
from torch import nn

import archspec
from compiler.lower import lower
from compiler.passes.setting import Setting
from compiler.pipeline import cost
from compiler.report.costs import CostReport
from compiler.report.numbers import THIN
from tests.history.chapter import SPECS, multi_head, normal, page

NAME = "09-multi-head"
ALL = torch.ones(1, 1, dtype=torch.bool)


def test_heads_of_a_split_width_are_those_of_torch() -> None:
    found = page(NAME, "d_model=32")
    x = normal(2, 7, 32)
    y, _ = found.both(x=x)
    theirs = nn.MultiheadAttention(32, 8, bias=False, batch_first=True)
    weights = {name: weight.float() for name, weight in found.weights.items()}
    theirs.load_state_dict(
        {
            "in_proj_weight": weights["split.qkv.weight"],
            "out_proj.weight": weights["split.o.weight"],
        }
    )
    with torch.no_grad():
        assert (y - theirs(x, x, x, need_weights=False)[0]).abs().max() <= 1e-5


def test_heads_of_explicit_widths_are_the_closed_form() -> None:
    found = page(NAME, "d_model=32")
    x = normal(2, 7, 32)
    _, y = found.both(x=x)
    widths = (8 * 64, 8 * 64, 8 * 96)
    weight, last = found.weights["explicit.qkv.weight"], found.weights["explicit.o.weight"]
    assert weight.shape == (sum(widths), 32)
    assert last.shape == (32, 8 * 96)
    q, k, v = torch.tensor_split(x.double() @ weight.T, (512, 1024), dim=-1)
    assert (y - multi_head(q, k, v, 8, ALL) @ last.T).abs().max() <= 1e-5


def counted(heads: int, **at: int) -> CostReport:
    return cost(
        str(SPECS / f"{NAME}.yaml"),
        set=[f"n_heads={heads}"],
        at={"B": 1, **at},
        setting=Setting("fp16"),
    )


@pytest.mark.parametrize("heads", [1, 2, 16, 64, 512])
def test_parameters_and_flops_do_not_depend_on_the_number_of_heads(heads: int) -> None:
    """At D/H; scores and their memory do: H·N² of them."""
    few, many = (
        {row["path"]: row for row in counted(h, N=128).document()["rows"]} for h in (8, heads)
    )
    for path in ("split.q", "split.k", "split.v", "split.sdpa", "split.o"):
        for figure in ("parameters", "matmul_flops"):
            assert few[path][figure] == many[path][figure], (path, figure)
    scores = "attention_scores_elements"
    assert few["split.sdpa"][scores] * heads == many["split.sdpa"][scores] * 8
    assert sum(few[f"split.{name}"]["parameters"] for name in "qkvo") == 4 * 512**2


def test_the_matrix_of_a_hundred_thousand() -> None:
    """N = 100 000, H = 64, two bytes: 6.4e11 entries, 1.28e12 bytes."""
    report = counted(64, N=100_000)
    assert report.totals["attention_matrix_bytes_layer"] == 1_280_000_000_000
    split = [p for p in report.document()["attention_products"] if p["path"] == "split"]
    assert {p["attention_matrix_entries"] for p in split} == {640_000_000_000}
    said = "`split`: one matrix has B·H·N² = 6.4e11 entries, 1.16 TiB in fp16."
    assert said in report.markdown().replace(THIN, " ")


def test_the_four_products_have_their_laws() -> None:
    """2·N·D·3D, 2·N²·D, 2·N²·D, 2·N·D² FLOPs, by hand."""
    n, d = 100_000, 512
    report = counted(8, N=n)
    split = [p for p in report.document()["attention_products"] if p["path"] == "split"]
    assert [(p["product"], p["law"], p["matmul_flops"]) for p in split] == [
        ("qkv", "O(N·D²)", 2 * n * d * 3 * d),
        ("scores", "O(N²·D)", 2 * n * n * d),
        ("mix", "O(N²·D)", 2 * n * n * d),
        ("out", "O(N·D²)", 2 * n * d * d),
    ]
    whole = sum(p["matmul_flops"] for p in report.document()["attention_products"])
    assert whole == report.totals["matmul_flops"]


def test_doubling_the_length_quadruples_scores_alone() -> None:
    documents = (counted(8, N=n).document() for n in (4096, 8192))
    small, large = (
        {p["product"]: p["matmul_flops"] for p in found["attention_products"][:4]}
        for found in documents
    )
    assert {name: large[name] / small[name] for name in small} == {
        "qkv": 2,
        "scores": 4,
        "mix": 4,
        "out": 2,
    }


def test_heads_must_divide_the_width() -> None:
    found = lower(archspec.load(SPECS / f"{NAME}.yaml", set=["n_heads=7"]))
    assert isinstance(found, tuple)
    assert found[0].code == "AR0303"
