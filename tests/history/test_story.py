"""The chapter's page tells of every spec, with the costs that `archc cost` counts."""

import json
import re
from itertools import pairwise

import pytest

from compiler.pipeline import cost
from compiler.report.numbers import THIN, count, flops, memory
from tests.cli.conftest import Archc, archc
from tests.history.chapter import SPECS

PAGE = SPECS / "README.md"
NAMES = sorted(path.stem for path in SPECS.glob("*.yaml"))
LINKS = r"\[model\.py\]\([^)]*\) · \[cost\.md\]\([^)]*\)"

__all__ = ["archc"]


def sections() -> dict[str, str]:
    """The text under each heading that links a spec, by its stem, in the order of the page."""
    text = PAGE.read_text(encoding="utf-8")
    heads = list(re.finditer(r"^#{1,3} .*$", text, re.MULTILINE))
    ends = [*(head.start() for head in heads), len(text)]
    found = {}
    for head, (_, end) in zip(heads, pairwise(ends), strict=True):
        if named := re.fullmatch(r"### \[(.+)\]\(\1\.yaml\)", head[0]):
            assert named[1] not in found
            found[named[1]] = text[head.end() : end].strip("\n")
    return found


def costs(name: str) -> str:
    """The last line of a section: figures of the report, and where the generated files are."""
    report = cost(str(SPECS / f"{name}.yaml"))
    total = report.totals
    lengths = ", ".join(f"{letter} = {size}" for letter, size in sorted(report.at.items()))
    figures = [
        f"**{count(total['parameters'])} parameters**",
        f"**{flops(total['matmul_flops'])}** at {lengths}",
    ]
    if size := total["attention_matrix_bytes_layer"]:
        figures.append(f"attention matrix {memory(size)}")
    if steps := total["sequential_steps"]:
        figures.append(f"{steps} steps")
    files = f"../../generated/history/{name}"
    links = f"[model.py]({files}/model.py) · [cost.md]({files}/cost.md)"
    return f"{' · '.join(figures)} · {links}".replace(THIN, " ")


def test_every_spec_has_its_section_and_every_section_its_spec() -> None:
    assert sorted(sections()) == NAMES


def test_the_numbers_of_the_specs_rise() -> None:
    numbers = [name[:2] for name in sections()]
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("name", NAMES)
def test_it_has_an_equation_and_a_paragraph(name: str) -> None:
    equation, paragraph, last = sections()[name].split("\n\n")
    assert re.fullmatch(r"    \S.*", equation)
    assert len(paragraph.split()) >= 12
    assert re.search(LINKS, last)


def test_the_costs_are_those_of_the_report(request: pytest.FixtureRequest) -> None:
    """`pytest --update-golden` rewrites them."""
    wanted = {name: costs(name) for name in sections()}
    if request.config.getoption("--update-golden"):
        text = PAGE.read_text(encoding="utf-8")
        for name, section in sections().items():
            told, _, _ = section.rpartition("\n\n")
            text = text.replace(section, f"{told}\n\n{wanted[name]}")
        PAGE.write_text(text, encoding="utf-8")
    assert {n: section.split("\n\n")[-1] for n, section in sections().items()} == wanted


def test_every_link_leads_somewhere() -> None:
    places = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))
    assert len(places) >= 3 * len(sections())
    assert [place for place in places if not (SPECS / place).is_file()] == []


def test_figures_are_what_the_command_counts(archc: Archc) -> None:
    """One spec by way of the command, as a reader would ask."""
    name = "10-swiglu"
    found = json.loads(archc("cost", str(SPECS / f"{name}.yaml"), "--json").out)
    said = sections()[name].split("\n\n")[-1]
    millions, giga = found["totals"]["parameters"] / 1e6, found["totals"]["matmul_flops"] / 1e9
    assert said.startswith(f"**{millions:.1f} M parameters** · **{giga:.1f} GFLOP** at ")
    assert all(f"{letter} = {size}" in said for letter, size in found["at"].items())
