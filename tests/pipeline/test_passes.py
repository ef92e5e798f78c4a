"""The order of passes: each can be stopped after, and each leaves a program that holds together."""

import re
from pathlib import Path

import pytest

import archspec
from archspec.source.diagnostic import SpecError
from compiler.answer import CannotAnswer
from compiler.ir.text import program_text
from compiler.passes.shapes import shapes
from compiler.pipeline.passes import STAGES, after, lowered
from tests.conftest import Golden
from tests.lower.specs import decoder, encoder_decoder, over
from tests.shipped import DISTINCT, ROOT


@pytest.mark.parametrize("name", ["lower", *STAGES])
def test_a_translator_after_each_pass(name: str, golden: Golden) -> None:
    text = program_text(after(archspec.load(encoder_decoder()), name))
    golden(f"ir/translator-after-{name}.txt", text)


@pytest.mark.parametrize("path", DISTINCT)
def test_types_follow_after_every_pass(path: str) -> None:
    """Only stateless, the last, gives up what decoding needs."""
    spec = archspec.load(ROOT / path)
    for name in ("lower", *STAGES):
        found = after(spec, name)
        assert shapes(found) is found
        assert "kv" not in found.main.inputs or name != "stateless"


def test_what_costs_and_source_are_made_from_is_folded() -> None:
    spec = archspec.load(encoder_decoder())
    assert program_text(lowered(spec)) == program_text(after(spec, "fold"))


def test_a_stage_prints_where_each_node_comes_from(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("name: m\ninputs: {x: {features: [T, 8]}}\ngraph:\n  y: {norm: l2, in: x}\n")
    assert re.search(r"^  y: .* = L2Norm .*@4$", program_text(lowered(archspec.load(path))), re.M)


def test_an_unknown_pass_is_no_answer() -> None:
    with pytest.raises(CannotAnswer, match="no pass is called `fuze`") as caught:
        after(archspec.load(decoder()), "fuze")
    assert "fuse" in str(caught.value.help)


@pytest.mark.parametrize("name", ["lower", "fuse"])
def test_what_cannot_be_lowered_is_an_error(name: str) -> None:
    spec = archspec.load(over(16, {"y": {"attention": {"heads": 5}}}))
    with pytest.raises(SpecError, match="AR0303"):
        after(spec, name)
    with pytest.raises(SpecError, match="AR0303"):
        lowered(spec)
