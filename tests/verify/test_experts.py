"""Experts are drawn as large as other maps, so that a mistake in one of them is seen."""

import pytest
import torch

from compiler.verify.module import build
from tests.generated.samples import small

MIXTRAL = "specs/decoder/mixtral-8x7b.yaml"


@pytest.mark.parametrize(
    "path", [MIXTRAL, "specs/decoder/deepseek-v3.yaml", "specs/decoder/gpt-oss-20b.yaml"]
)
def test_every_expert_keeps_the_size_of_what_it_reads(path: str) -> None:
    made = small(path)
    plain, even = build(made.generated), build(made.generated, program=made.fused)
    before, after = dict(plain.named_parameters()), dict(even.named_parameters())
    experts = {name for name, weight in after.items() if weight.dim() == 3}
    assert len(experts) > 1
    for name in experts:
        weight = after[name].detach()
        assert float(weight.std()) * weight.shape[-1] ** 0.5 == pytest.approx(1, abs=0.1), name
    same = {name for name, weight in after.items() if torch.equal(weight, before[name])}
    assert same == set(after) - experts
