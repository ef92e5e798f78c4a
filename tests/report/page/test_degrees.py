"""Degrees that are chosen on a page say what `archc cost --parallel` says."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from compiler.passes.setting import Setting
from compiler.pipeline import cost, report
from compiler.report.numbers import in_unit
from compiler.report.page.spread import COLUMNS
from compiler.report.parallel.degrees import LETTERS, Degrees
from tests.report.page.browser import NEEDS_CHROMIUM, after, steps_tag, told
from tests.report.page.pages import SPECS, Elements, page

pytestmark = NEEDS_CHROMIUM

DEGREES = """
const rows = () => [...document.querySelectorAll("[data-spread] tbody tr")].filter(
  (row) => row.cells.length > 2).map((row) => [...row.cells].map((each) => each.textContent));
const change = (field, word) => {
  field.value = word;
  field.dispatchEvent(new Event("change", {bubbles: true}));
};
const told = {before: rows(), after: []};
for (const way of JSON.parse(document.getElementById("steps").textContent)) {
  for (const [letter, size] of Object.entries(way.degrees)) {
    const field = document.querySelector(`[data-degree="${letter}"]`);
    if (field) change(field, size);
  }
  for (const [name, word] of Object.entries(way.setting))
    change(document.querySelector(`[data-choice="${name}"]`), word);
  told.after.push({rows: rows(), ranks: document.querySelector("[data-ranks]").textContent,
    status: document.querySelector(".status").className,
    command: document.querySelector("[data-command]").textContent});
}
told.refused = [];
for (const [letter, size] of [["p", 1000], ["v", 50], ["c", 1 << 19]]) {
  change(document.querySelector(`[data-degree="${letter}"]`), size);
  told.refused.push(document.querySelector(".status.bad").textContent);
}
document.body.dataset.told = JSON.stringify(told);
"""


ORDER = ("dp", "tp", "microbatches", "pp", "interleave", "ep", "cp")
SPREADS: dict[str, list[tuple[Degrees, Setting]]] = {
    "decoder/deepseek-v3": [
        (Degrees(), Setting()),
        (Degrees(dp=64, ep=8, zero=1, microbatches=4), Setting("fp16", "eager", "full", "muon")),
        (Degrees(tp=8, pp=4, dp=16, ep=32, zero=3, microbatches=8, interleave=2), Setting("fp32")),
    ],
    "decoder/mixtral-8x7b": [
        (Degrees(tp=2, pp=2, dp=8, ep=2, zero=1), Setting()),
        (Degrees(tp=4, pp=2, dp=16, ep=8, zero=2, microbatches=3), Setting()),
        (Degrees(tp=4, pp=32, dp=16, cp=2), Setting(recompute="selective")),
    ],
    "decoder/gpt2": [
        (Degrees(), Setting()),
        (Degrees(tp=3, sp=0, pp=5, dp=2, zero=2), Setting(optimizer="adam8bit")),
    ],
}
"""Degrees that a page begins with, then those that are chosen: layers of two kinds, tables that two
stages read, stages that do not come out even."""


@pytest.mark.parametrize("name", SPREADS)
def test_other_degrees_say_what_the_command_says(name: str, tmp_path: Path) -> None:
    path, ((asked, usual), *ways) = str(SPECS / f"{name}.yaml"), SPREADS[name]
    chosen = [
        {
            "degrees": {LETTERS[name]: getattr(degrees, name) for name in ORDER},
            "setting": {**setting.document(), "zero": str(degrees.zero), "sp": str(degrees.sp)},
        }
        for degrees, setting in ways
    ]
    data = steps_tag(chosen)
    seen = after(report([path], degrees=asked).html, DEGREES, tmp_path, data)
    assert seen.console == []
    found = told(seen.dom)
    assert _by_stage(found["before"]) == _ranks(path, asked, usual)
    for (degrees, setting), each in zip(ways, found["after"], strict=True):
        assert "bad" not in each["status"]
        assert _by_stage(each["rows"]) == _ranks(path, degrees, setting)
        assert int(each["ranks"].replace("\u202f", "")) == degrees.ranks
        said = each["command"].partition("--parallel ")[2]
        assert set(said.split(",")) == set(str(degrees).split(","))
    assert all(found["refused"]) and len(found["refused"]) == 3


CHANGES = """
const told = [];
for (const [query, word, kind] of JSON.parse(document.getElementById("steps").textContent)) {
  const field = document.querySelector(query);
  field.value = word;
  field.dispatchEvent(new Event(kind, {bubbles: true}));
  const {className, textContent} = document.querySelector(".status");
  told.push([className, textContent, document.querySelector("[data-command]").textContent]);
}
document.body.dataset.told = JSON.stringify(told);
"""


def changed(html: str, ways: list[tuple[str, str, str]], folder: Path) -> list[list[str]]:
    """The status and the command after each change of a field."""
    data = steps_tag(ways)
    seen = after(html, CHANGES, folder, data)
    assert seen.console == []
    found: list[list[str]] = told(seen.dom)
    return found


def test_a_sequence_is_as_long_as_its_ranks_need(tmp_path: Path) -> None:
    ways = [
        ('[data-degree="c"]', "8", "change"),
        ('[data-letter="T"]', "4", "input"),
        ('[data-letter="T"]', "16", "input"),
    ]
    first, short, long = changed(page("decoder/gpt2"), ways, tmp_path)
    assert "bad" not in first[0] + long[0]
    assert short[:2] == ["status bad", "8 ranks cannot share 4 positions"]
    assert "--at B=1,T=16,S=16 " in long[2] and long[2].endswith("--parallel cp=8")


def test_layers_of_many_kinds_take_choices_too(tmp_path: Path) -> None:
    """Too many for letters of stages, so that the page cannot be spread."""
    file = tmp_path / "many.yaml"
    layer = {"mlp": {"mlp": {"hidden": 20, "act": "silu"}}}
    at = {str(index): {"mlp.hidden": 20 + index} for index in range(1, 16)}
    graph = {
        "tok": {"embed": {"vocab": 31, "dim": 12}, "in": "ids"},
        "h": {"stack": {"repeat": 16, "layer": layer, "at": at}},
    }
    spec = {"name": "many", "inputs": {"ids": {"tokens": {"max": 8}}}, "graph": graph}
    file.write_text(json.dumps({**spec, "defaults": {"norm": {"rms": 1e-5}, "norm_at": "pre"}}))
    html = report([str(file)]).html
    assert not any("data-degree" in attrs for _, attrs, _ in Elements(html).found)
    ((status, _, command),) = changed(
        html, [('[data-choice="precision"]', "fp32", "change")], tmp_path
    )
    assert "bad" not in status
    assert "--precision fp32" in command


def _by_stage(rows: list[list[str]]) -> list[list[str]]:
    """The cells of each stage; neighbours share a row."""
    found = []
    for stages, *cells in rows:
        first, _, last = stages.partition(" to ")
        found += [cells] * (int(last or first) - int(first) + 1)
    return found


def _ranks(path: str, degrees: Degrees, setting: Setting) -> list[list[str]]:
    ranks = cost(path, setting=setting).parallel(**asdict(degrees))
    return [
        [
            in_unit(stage.numbers[name], "parameters" if name == "parameters" else "bytes")
            for name in COLUMNS
        ]
        for stage in ranks.stages
    ]
