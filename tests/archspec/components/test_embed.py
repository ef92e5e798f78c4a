"""Embeddings with positions, sharing and factors, and positions of their own."""

import pytest

from archspec.components.embed import Embed
from archspec.components.positions import Learned, Positions, Sinusoid
from archspec.source.number import Sized
from tests.archspec.reading import codes, component, node, spec


def embed(text: str) -> Embed:
    found = component(f"embed: {{vocab: 50, dim: 8, {text}}}, in: ids")
    assert isinstance(found, Embed)
    return found


def test_defaults() -> None:
    found = embed("")
    assert (found.vocab, found.dim, found.project, found.scale) == (50, 8, None, 1)
    assert (found.norm, found.types, found.positions, found.share) == (None, 0, None, None)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("{learned: 64}", Learned(size=64)),
        ("{learned: 66, offset: 2, from: nonpad}", Learned(size=66, offset=2, from_="nonpad")),
        (
            "{learned: 64, combine: concat, width: 4}",
            Learned(size=64, combine="concat", width=Sized(4)),
        ),
        ("{sinusoid: {max: 64}}", Sinusoid(max=64)),
        (
            "{sinusoid: {max: 64}, combine: concat, width: 4}",
            Sinusoid(max=64, combine="concat", width=Sized(4)),
        ),
        (
            "{sinusoid: {max: 64, combine: concat, width: 4}}",
            Sinusoid(max=64, combine="concat", width=Sized(4)),
        ),
        (
            "{sinusoid: {max: 64, base: 100, layout: halves, span: d-2}}",
            Sinusoid(max=64, base=100, layout="halves", span="d-2"),
        ),
    ],
)
def test_positions(written: str, expected: Learned | Sinusoid) -> None:
    assert embed(f"positions: {written}").positions == expected
    alone = component(f"positions: {written}")
    assert isinstance(alone, Positions)
    assert alone.table == expected


def test_a_scale_may_be_an_expression() -> None:
    assert embed("scale: sqrt(64)").scale == 8.0


def test_a_shared_table_gives_its_sizes_and_its_owner() -> None:
    text = node("embed: {share: tok}, in: ids") + "  y: {embed: {share: x}, in: ids}\n"
    found = spec(text).graph["y"].component
    assert isinstance(found, Embed)
    assert (found.share, found.vocab, found.dim) == ("tok", 100, 16)


def test_a_narrow_table_may_be_projected() -> None:
    assert embed("project: 32").project == 32


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("embed: {vocab: 50}, in: ids", "AR0101"),
        ("embed: {}, in: ids", "AR0101"),
        ("embed: {share: tok, dim: 8}, in: ids", "AR0108"),
        ("embed: {share: nope}, in: ids", "AR0401"),
        ("embed: {vocab: 50, dim: 8}, in: tok", "AR0407"),
        ("embed: {vocab: 50, dim: 8}, in: pixels", "AR0407"),
        ("embed: {vocab: 50, dim: 8, positions: {learnt: 9}}, in: ids", "AR0206"),
        ("embed: {vocab: 50, dim: 8, positions: learned}, in: ids", "AR0206"),
        (
            "embed: {vocab: 50, dim: 8, positions: {learned: 9, sinusoid: {max: 9}}}, in: ids",
            "AR0206",
        ),
        ("embed: {vocab: 50, dim: 8, positions: {learned: 9, size: 9}}, in: ids", "AR0102"),
        ("embed: {vocab: 50, dim: 8, positions: {learned: 9, combine: concat}}, in: ids", "AR0101"),
        ("embed: {vocab: 50, dim: 8, positions: {learned: 9, width: 4}}, in: ids", "AR0108"),
        ("embed: {vocab: 5, dim: 8, positions: {sinusoid: {max: 9, width: 4}}}, in: ids", "AR0108"),
        ("embed: {vocab: 50, dim: 8, positions: {sinusoid: {}}}, in: ids", "AR0101"),
        ("embed: {vocab: 5, dim: 8, positions: {learned: 9, from: segments}}, in: ids", "AR0411"),
        ("embed: {vocab: 5, dim: 8, positions: {learned: 9, from: sgments}}, in: ids", "AR0201"),
        ("embed: {vocab: 50, dim: 8, combine: concat}, in: ids", "AR0102"),
        ("embed: {vocab: 5, dim: 8, positions: {learned: 9, from: nonpad}}, in: ids", "AR0261"),
        ("embed: {vocab: 5e12, dim: 8}, in: ids", "AR0202"),
    ],
)
def test_what_is_refused(written: str, code: str) -> None:
    assert code in codes(node(written))


@pytest.mark.parametrize(
    ("positions", "length"),
    [("{learned: 64}", 64), ("{learned: 66, offset: 2}", 66), ("{sinusoid: {max: 9}}", 9)],
)
def test_the_table_is_the_context_length(positions: str, length: int) -> None:
    graph = f"{{e: {{embed: {{vocab: 5, dim: 4, positions: {positions}}}, in: i}}}}"
    text = f"name: t\ninputs: {{i: tokens}}\ngraph: {graph}\n"
    assert spec(text).inputs["i"].max == length
    assert spec(text, "inputs.i={tokens: {max: 7}}").inputs["i"].max == 7
    assert spec(text, "e.positions=none").inputs["i"].max == 2048
