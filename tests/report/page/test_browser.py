"""The page in a headless Chromium: quiet, and its sliders say what `archc cost` says."""

import html as markup
import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from compiler.passes.setting import Setting
from compiler.pipeline import cost, report
from compiler.report.device.figures import duration
from compiler.report.device.fit import COUNTED
from compiler.report.numbers import flops, in_unit, memory
from compiler.report.page.sheet import LEFT_OUT
from compiler.report.page.spread import COLUMNS
from compiler.report.parallel.degrees import LETTERS, Degrees
from tests.report.page.browser import NEEDS_CHROMIUM, after, read
from tests.report.page.pages import SPECS, Elements, page

ROOT = Path(__file__).parents[3]
AXE = ROOT / ".cache/weights/axe_core_python/axe.min.js"
SHOTS = ROOT / ".cache/screenshots"
pytestmark = NEEDS_CHROMIUM

STEPS = """
const told = [];
const form = document.querySelector("form");
const totals = () => Object.fromEntries([...document.querySelectorAll("[data-exact]")].map(
  (each) => [each.parentNode.cells[0].textContent, each.textContent.replace(/\\u202f/g, "")]));
for (const step of JSON.parse(document.getElementById("steps").textContent)) {
  for (const [letter, size] of Object.entries(step.at)) {
    const input = form.querySelector(`[data-letter="${letter}"]`);
    input.value = size;
    input.dispatchEvent(new Event("input", {bubbles: true}));
  }
  for (const [name, word] of Object.entries(step.setting)) {
    const select = form.querySelector(`[data-choice="${name}"]`);
    if (!select) continue;
    select.value = word;
    select.dispatchEvent(new Event("change", {bubbles: true}));
  }
  told.push({totals: totals(), command: document.querySelector("[data-command]").textContent,
    tile: document.querySelector(".tiles b").textContent});
}
form.reset();
told.push({totals: totals()});
document.body.dataset.told = JSON.stringify(told);
"""
WAYS: dict[str, list[tuple[dict[str, int], Setting]]] = {
    "decoder/deepseek-v3": [
        ({"B": 3, "T": 1024, "S": 4096}, Setting()),
        ({"B": 1, "T": 131072, "S": 131072}, Setting("fp32", "eager")),
        ({"B": 7, "T": 1, "S": 777}, Setting("fp16", "eager", "selective", "sgd")),
        ({"B": 2, "T": 999, "S": 999}, Setting("bf16", "eager", "full", "muon")),
    ],
    "encoder-decoder/t5-small": [
        ({"B": 2, "S": 100, "T": 50}, Setting("fp32", "fused", "full", "adamw")),
    ],
}


def steps(ways: list[tuple[dict[str, int], Setting]]) -> str:
    found = [{"at": at, "setting": vars(setting)} for at, setting in ways]
    return f'<script type="application/json" id="steps">{json.dumps(found)}</script>'


def told(dom: str) -> Any:
    found = re.search(r'<body[^>]* data-told="([^"]*)"', dom)
    assert found, dom[-2000:]
    return json.loads(markup.unescape(found[1]))


@pytest.mark.parametrize("name", WAYS)
def test_controls_say_what_the_command_says(name: str, tmp_path: Path) -> None:
    ways = WAYS[name]
    seen = after(page(name), STEPS, tmp_path, steps(ways))
    assert seen.console == []
    *each, last = told(seen.dom)
    path = str(SPECS / f"{name}.yaml")
    for (at, setting), found in zip(ways, each, strict=True):
        counted = cost(path, at=at, setting=setting)
        assert {k: int(v) for k, v in found["totals"].items()} == _shown(counted.totals)
        said = found["command"].partition("--at ")[2].partition(" ")[0]
        assert set(said.split(",")) == {f"{letter}={size}" for letter, size in counted.at.items()}
    assert {k: int(v) for k, v in last["totals"].items()} == _shown(cost(path).totals)


def test_the_script_draws_what_was_written(tmp_path: Path) -> None:
    """Every number, bar and line is the same after the script as before it, which adds to titles
    alone; the console is quiet."""
    html = page("decoder/mixtral-8x7b", device="h200")
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    seen = read(file, tmp_path, "--dump-dom")
    assert seen.console == []
    before, now = ([e for e in Elements(h).found if _counted(e)] for h in (html, seen.dom))
    assert len(before) > 200
    assert len(now) == len(before)
    for one, other in zip(now, before, strict=True):
        assert _words(one) == _words(other)
        assert _places(one) == pytest.approx(_places(other), abs=0.11)


def _counted(element: tuple[str, Any, list[str]]) -> bool:
    tag, attrs, _ = element
    drawn = tag in ("path", "rect", "circle", "text", "title") and "aria-hidden" not in attrs
    return drawn or any(name in attrs for name in NAMED)


def _words(element: tuple[str, Any, list[str]]) -> Any:
    tag, attrs, words = element
    said = "".join(words).strip().partition(", ")[0] if tag == "title" else "".join(words).strip()
    return tag, said, {k: v or "" for k, v in attrs.items() if k not in (*PLACES, "title")}


def _places(element: tuple[str, Any, list[str]]) -> list[float]:
    _, attrs, _ = element
    return [float(n) for name in PLACES for n in NUMBER.findall(attrs.get(name) or "")]


NAMED = (
    "data-f",
    "data-exact",
    "data-formula",
    "data-command",
    "data-time",
    "data-room",
    "data-fit",
)
PLACES = ("cx", "cy", "r", "x", "y", "width", "height", "d")
NUMBER = re.compile(r"\d+(?:\.\d+)?")


ON = """
const select = document.querySelector("[data-device]");
select.value = [...select.options].find((one) => one.textContent === "l4").value;
select.dispatchEvent(new Event("change", {bubbles: true}));
const told = {title: document.querySelector("[data-title]").textContent,
  command: document.querySelector("[data-command]").textContent, times: {}, fits: {}};
for (const cell of document.querySelectorAll("[data-time]"))
  (told.times[cell.dataset.time] ??= []).push(cell.textContent);
for (const row of document.querySelectorAll("[data-fit]"))
  told.fits[row.cells[0].textContent] = [...row.cells].slice(1).map((cell) => cell.textContent);
document.body.dataset.told = JSON.stringify(told);
"""


@pytest.mark.parametrize("name", ["decoder/mixtral-8x7b", "decoder/gpt2"])
def test_another_device_says_what_the_command_says(name: str, tmp_path: Path) -> None:
    seen = after(page(name, device="h200"), ON, tmp_path)
    assert seen.console == []
    found = told(seen.dom)
    there = cost(str(SPECS / f"{name}.yaml")).on("l4")
    assert found["title"] == there.device.title
    assert found["command"].endswith("--device l4")
    assert found["times"]["least"] == [duration(phase.least) for phase in there.phases]
    assert found["times"]["seconds"] == [duration(phase.seconds) for phase in there.phases]
    assert found["times"]["flops"] == [flops(phase.flops) for phase in there.phases]
    assert found["times"]["moved"] == [memory(round(phase.moved)) for phase in there.phases]
    assert found["times"]["bound"] == [f"{phase.bound}-bound" for phase in there.phases]
    assert set(found["fits"]) == {fit.what for fit in there.fits} & set(COUNTED)
    for fit in there.fits:
        if fit.what not in COUNTED:
            continue  # what the other kernel needs is told where that is chosen
        needs, verdict, *_ = found["fits"][fit.what]
        assert (needs, verdict) == (memory(fit.need), "fits" if fit.ok else "does not fit")
        batch, length = (words.replace("\u202f", "") for words in found["fits"][fit.what][2:])
        if fit.batch:
            assert batch == str(fit.batch)
        if fit.length or fit.ends:
            assert length == str(fit.length or fit.ends)


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
            "setting": {**vars(setting), "zero": str(degrees.zero), "sp": str(degrees.sp)},
        }
        for degrees, setting in ways
    ]
    data = f'<script type="application/json" id="steps">{json.dumps(chosen)}</script>'
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
    data = f'<script type="application/json" id="steps">{json.dumps(ways)}</script>'
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


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not there: `make weights` fetches it")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(scheme: str, tmp_path: Path) -> None:
    run = (
        "axe.run(document, {resultTypes: ['violations']}).then((found) => {"
        "document.body.dataset.told = JSON.stringify(found.violations.map((v) => "
        "[v.impact, v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200))]))});"
    )
    base = str(SPECS / "decoder/llama2-7b.yaml")
    html = page("decoder/llama3-8b", base=base, device="h200")
    if scheme == "dark":
        html = html.replace("@media(prefers-color-scheme:dark)", "@media screen")
    seen = after(html, AXE.read_text(encoding="utf-8") + run, tmp_path)
    assert [f for f in told(seen.dom) if f[0] in ("serious", "critical")] == []


def test_a_picture_is_kept(tmp_path: Path) -> None:
    """A screenshot for who looks at the page, written where other caches are."""
    SHOTS.mkdir(parents=True, exist_ok=True)
    shot = SHOTS / "llama3-8b.png"
    shot.unlink(missing_ok=True)
    file = tmp_path / "page.html"
    file.write_text(page("decoder/llama3-8b"), encoding="utf-8")
    read(file, tmp_path, "--window-size=1160,2600", f"--screenshot={shot}")
    assert shot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert shot.stat().st_size > 50_000


@pytest.mark.parametrize("name", ["decoder/llama3-8b", "decoder/deepseek-v3"])
def test_prints_on_two_pages(name: str, tmp_path: Path) -> None:
    file, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    file.write_text(page(name), encoding="utf-8")
    read(file, tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={paper}")
    assert len(re.findall(rb"/Type ?/Page\b", paper.read_bytes())) <= 2


def _shown(totals: Mapping[str, int]) -> dict[str, int]:
    """Those that a page has."""
    return {name: size for name, size in totals.items() if name not in LEFT_OUT}
