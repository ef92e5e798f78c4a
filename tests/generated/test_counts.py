"""Full-size models on the meta device against what was published about them."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch

from compiler.report.costs import CostReport, cost_report
from compiler.verify.counts import matmul_flops
from compiler.verify.examples import Example, example
from compiler.verify.module import build
from tests.generated.counted import Model
from tests.generated.counted_siblings import SIBLINGS
from tests.generated.named import NAMED, UNPUBLISHED
from tests.generated.published import (
    ACTIVE,
    BEHIND_TABLES,
    BILLIONS_ACTIVE,
    BILLIONS_BEHIND_TABLES,
    GPT3_MILLIONS,
    PARAMETERS,
    TRANSFORMER_MILLIONS,
)
from tests.generated.samples import whole
from tests.passes.samples import lowered
from tests.shipped import DISTINCT, SHIPPED

MADE = {**NAMED, **SIBLINGS}
FLOPS = {
    "specs/decoder/gpt2.yaml": (1024, 291_648_307_200),
    "specs/decoder/mixtral-8x7b.yaml": (2048, 54_417_235_640_320),
    "specs/encoder/bert-base.yaml": (128, 22_348_431_360),
    "specs/vision/vit-b16-cls.yaml": (1, 35_127_656_448),
}
"""Positions, and FLOPs of one row's matrix products as measured on transformers' classes."""


def test_what_is_published_is_held_against_it() -> None:
    """History's first forms were published without a count."""
    assert {path for path in SHIPPED if "/history/" not in path} <= set(PARAMETERS)


@pytest.mark.parametrize("path", PARAMETERS)
def test_parameters(path: str) -> None:
    assert figures(path)["parameters"] == PARAMETERS[path]


@pytest.mark.parametrize("path", [path for path in PARAMETERS if path in DISTINCT])
def test_parameters_of_modules(path: str) -> None:
    model = build(whole(path).generated, device="meta")
    assert sum(parameter.numel() for parameter in model.parameters()) == PARAMETERS[path]
    assert {parameter.device.type for parameter in model.parameters()} == {"meta"}


def test_what_is_released_has_a_model_of_transformers() -> None:
    unpublished = {path for path in PARAMETERS if Path(path).stem.startswith(UNPUBLISHED)}
    unpublished |= {path for path in PARAMETERS if "/history/" in path}
    assert set(MADE) == set(PARAMETERS) - unpublished


@pytest.mark.parametrize("path", MADE)
def test_transformers_counts_as_many(path: str) -> None:
    assert MADE[path].parameters() + beyond(MADE[path]) == PARAMETERS[path]


def beyond(model: Model) -> int:
    """What files hold besides what transformers 5.24 learns.

    BART's bias of its logits is a buffer there, and a gated T5's own head is tied.
    """
    if not model.kind.endswith("ForConditionalGeneration"):
        return 0
    config = model.config()
    if "Bart" in model.kind:
        return int(config.vocab_size)
    return int(config.vocab_size * config.d_model) if getattr(config, "is_gated_act", 0) else 0


def figures(path: str) -> Mapping[str, int]:
    """The totals of the report on one row."""
    spec = whole(path).spec
    report = cost_report(lowered(spec), spec, {"B": 1})
    assert isinstance(report, CostReport), report
    return report.totals


@pytest.mark.parametrize("path", ACTIVE)
def test_parameters_that_a_token_uses(path: str) -> None:
    assert figures(path)["parameters_active"] == ACTIVE[path]


@pytest.mark.parametrize("path", [*BILLIONS_ACTIVE, *BILLIONS_BEHIND_TABLES])
def test_billions_that_a_token_uses(path: str) -> None:
    """Papers round, or cut."""
    found = figures(path)
    counted = found["parameters_active"]
    if path in BILLIONS_BEHIND_TABLES:
        counted -= found["parameters_embedding"]
    said = BILLIONS_ACTIVE.get(path) or BILLIONS_BEHIND_TABLES[path]
    step = 10 ** (9 - len(said.partition(".")[2]))
    assert int(said.replace(".", "")) in (counted // step, (counted + step // 2) // step)


@pytest.mark.parametrize("path", BEHIND_TABLES)
def test_parameters_behind_the_tables(path: str) -> None:
    """12 L D² + 13 L D + 2 D of a GPT-NeoX of width D."""
    model = build(whole(path).generated, device="meta")
    inside = [p for name, p in model.named_parameters() if name.split(".")[0] in ("h", "final")]
    assert sum(parameter.numel() for parameter in inside) == BEHIND_TABLES[path]
    width = next(p for name, p in model.named_parameters() if name.startswith("final.")).numel()
    layers = whole(path).spec.dims["n_layers"]
    assert BEHIND_TABLES[path] == 12 * layers * width**2 + 13 * layers * width + 2 * width


@pytest.mark.parametrize("size", GPT3_MILLIONS)
def test_gpt3_by_its_formula(size: str) -> None:
    width, layers, millions = GPT3_MILLIONS[size]
    count = layers * (12 * width**2 + 13 * width) + (50257 + 2048) * width + 2 * width
    assert PARAMETERS[f"specs/decoder/gpt3-{size}.yaml"] == count
    step = 10**6 if millions < 1000 else 10**7
    assert round(count / step) * step == millions * 10**6


@pytest.mark.parametrize("size", TRANSFORMER_MILLIONS)
def test_the_first_transformers_within_their_rounding(size: str) -> None:
    found = PARAMETERS[f"specs/encoder-decoder/transformer-{size}.yaml"]
    assert found == pytest.approx(TRANSFORMER_MILLIONS[size] * 10**6, rel=0.03)


@pytest.mark.parametrize("path", FLOPS)
def test_matrix_products(path: str) -> None:
    made = whole(path)
    length, flops = FLOPS[path]
    given = example(made.spec, made.program, 1, length)
    on_meta = Example({n: v.to("meta") for n, v in given.values.items()}, given.lengths)
    model = build(made.generated, device="meta")
    if "GroupedLinear" in made.generated.text:
        model.to(torch.bfloat16)  # the only type whose grouped products torch traces
    assert matmul_flops(model, on_meta) == flops
