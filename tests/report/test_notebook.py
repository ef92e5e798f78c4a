"""What a notebook shows of specs, programs, costs and differences, as a parser of HTML reads it."""

from html.parser import HTMLParser
from typing import Any

import pytest

import archspec
import compiler
from compiler.ir.program import Program as Graphs
from tests.passes.samples import LLAMA, lowered, named
from tests.report.reports import report, with_budget

HOSTILE = '<script>alert("x")</script> & <b>'
ALLOWED = {"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "p"}


class Tables(HTMLParser):
    """Cells by row; every tag has to be allowed, closed, and without an address."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.captions: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= {"style", "scope"}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        where = self.open[-1] if self.open else ""
        if where in ("td", "th"):
            self.rows[-1][-1] += data
        elif where == "caption":
            self.captions.append(data)
        elif where == "p":
            self.words.append(data)


def shown(subject: Any) -> Tables:
    text = subject._repr_html_()
    assert len(text) < 40_000
    assert "http" not in text
    return Tables(text)


def hostile() -> archspec.Spec:
    return archspec.load({**LLAMA, "name": "odd", "about": HOSTILE, "budget": {"parameters": 1}})


def test_a_spec_has_its_sizes_and_its_graph() -> None:
    found = shown(named("decoder/gpt2"))
    names, sizes = found.rows[:2]
    said = dict(zip(names, sizes, strict=True))
    assert (said["d_model"], said["n_layers"], said["vocab"]) == ("768", "12", "50257")
    (stack,) = (row for row in found.rows if row[1:2] == ["stack"])
    assert stack[:4] == ["h", "stack", "12 layers of attn → mlp", "tok"]
    assert shown(hostile()).words == [f"odd: {HOSTILE}"]


def test_a_program_has_every_operator_once() -> None:
    graphs = lowered(named("decoder/gpt2"))
    assert isinstance(graphs, Graphs)
    found = shown(graphs)
    paths = [place.path for place in graphs.places()]
    assert [row[0] for row in found.rows if row[0] in paths] == paths
    (sdpa,) = (row for row in found.rows if row[0] == "h.0..12.attn.sdpa")
    assert sdpa[1:] == ["ScaledDotProductAttention", "float[B H T K]", "12", "20"]
    program = compiler.compile(hostile())
    assert program._repr_html_() == program.graphs._repr_html_()
    assert shown(program).words == [f"odd: {HOSTILE}"]


def test_costs_have_verdicts_limits_and_where_it_goes() -> None:
    found = shown(report("decoder/gpt2"))
    assert found.captions == ["gpt2 at B=1, T=1024, S=1024", "where it goes"]
    assert ["parameters", "124 M"] in [
        [cell.replace("\u202f", " ") for cell in row[:2]] for row in found.rows
    ]
    assert found.rows[-1][0] == "total"
    limited = shown(with_budget({"parameters": 1}))
    assert "budget" in limited.captions
    assert [row[0] for row in limited.rows].count("OVER") == 1


def test_differences_have_totals_and_changes() -> None:
    one = compiler.compile(archspec.load(LLAMA))
    other = compiler.compile(archspec.load(LLAMA, set=["graph.h.stack.repeat=6"]))
    found = shown(one.diff(other))
    assert "totals" in found.captions
    assert "what changed" in found.captions
    assert "→" in found.words[0]
    assert shown(one.diff(one)).captions == []


@pytest.mark.parametrize("name", ["decoder/deepseek-v3", "vision/vit-b16-cls", "encoder/bert-base"])
def test_every_kind_of_model_can_be_shown(name: str) -> None:
    spec = named(name)
    assert shown(spec).rows
    assert shown(report(name)).rows
