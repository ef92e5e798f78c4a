"""A base whose table of positions is shorter than the context: counted as far as both read."""

from pathlib import Path

import pytest

from archspec.source.diagnostic import SpecError
from compiler.pipeline import report

SHORT, LONG = "short.yaml", "long.yaml"


@pytest.fixture
def both(decoder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A decoder with a learned table of 16 positions, and one without a table that reads 64."""
    monkeypatch.chdir(tmp_path)
    head = "archspec: 1\nname: {name}\ninputs: {{ids: {{tokens: {{max: {most}}}}}}}\n"
    graph = """graph:
  tok: {{embed: {{vocab: 50, dim: 16{positions}}}, in: ids}}
  h: {{stack: {{repeat: 2, layer: {{attn: {{attention: {{heads: 2, mask: causal}}}}}}}}}}
  logits: {{unembed: {{vocab: 50}}}}
"""
    defaults = "defaults: {norm: {rms: 1e-5}, norm_at: pre}\n"
    for name, most, positions in (("short", 16, ", positions: {learned: 16}"), ("long", 64, "")):
        text = head.format(name=name, most=most) + defaults + graph.format(positions=positions)
        Path(f"{name}.yaml").write_text(text)


@pytest.mark.usefixtures("both")
def test_a_page_is_counted_where_both_have_positions() -> None:
    found = report([LONG], base=SHORT)
    said = "`long` is counted at B=1,T=16,S=16, as `short.yaml` has no later position"
    assert found.notes == (said,)
    assert said.replace("`", "") in found.html
    assert "one sequence of the context length" not in found.html


@pytest.mark.usefixtures("both")
def test_the_page_is_the_one_of_that_length() -> None:
    shortened = report([LONG], base=SHORT).html
    assert "B 1, T 16, S 16" in shortened
    assert "B 1, T 16, S 16" in report([LONG], base=SHORT, at={"T": 16}).html
    assert not report([LONG], base=SHORT, at={"T": 16}).notes
    assert not report([SHORT], base=LONG).notes


@pytest.mark.usefixtures("both")
def test_a_length_that_is_asked_for_is_not_changed() -> None:
    with pytest.raises(SpecError, match="the model has no position 64"):
        report([LONG], base=SHORT, at={"T": 64})
