"""The page in a headless Chromium: quiet, and its sliders say what `archc cost` says."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from compiler.passes.setting import Setting
from compiler.pipeline import cost
from compiler.report.device.figures import duration
from compiler.report.device.fit import COUNTED
from compiler.report.numbers import flops, memory
from compiler.report.page.sheet import LEFT_OUT
from tests.report.page.browser import NEEDS_CHROMIUM, after, read, steps_tag, told
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
    found = [{"at": at, "setting": setting.document()} for at, setting in ways]
    return steps_tag(found)


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
