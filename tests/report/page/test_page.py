"""The page as it is without its script: complete, self-contained, harmless and the same bytes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from compiler.pipeline import cost, report
from compiler.report.page.kinds import KINDS
from compiler.report.page.sheet import LEFT_OUT
from compiler.report.parallel.degrees import Degrees
from tests.passes.samples import LLAMA
from tests.report.page.pages import SPECS, Elements, page

ROOT = Path(__file__).parents[3]
SAMPLES = (
    "decoder/llama3-8b",
    "decoder/deepseek-v3",
    "encoder-decoder/t5-small",
    "vision/vit-b16-cls",
    "encoder/bert-base",
    "history/01-seq2seq",
)
THIN = "\u202f"
OFFERED = ("letter", "choice", "degree")


@pytest.mark.parametrize("name", SAMPLES)
def test_every_total_is_there_without_a_script(name: str) -> None:
    shown = Elements(page(name)).totals()
    every = cost(str(SPECS / f"{name}.yaml")).totals
    totals = {total: size for total, size in every.items() if total not in LEFT_OUT}
    assert shown == totals
    assert list(shown) == list(totals)


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_is_asked_of_anybody(name: str) -> None:
    html = page(name)
    said = set(re.findall(r"\w+://[^\s\"'<]*", html))
    assert said == {"http://www.w3.org/2000/svg", "https://www.nvidia.com/data-center/h100,"}
    for tag, attrs, _ in Elements(html).found:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base"), tag
        assert "src" not in attrs
        assert (attrs.get("href") or "#").startswith("#")
    assert "eval(" not in html
    assert "url(" not in html.replace("url(#arrow)", "")
    assert "default-src 'none'" in html


@pytest.mark.parametrize("name", SAMPLES)
def test_pages_are_small(name: str) -> None:
    assert len(page(name).encode()) < 150_000


@pytest.mark.parametrize("base", ["", "deepseek-v2", "gpt-oss-120b"])
def test_pages_are_small_in_all_cases(base: str) -> None:
    """A device and degrees are there in any case; named, they change numbers alone. A base that
    differs in everything has the longest tables."""
    path = str(SPECS / "decoder/deepseek-v3.yaml")
    spread = Degrees(tp=8, pp=7, dp=16, ep=8, zero=3, microbatches=21, interleave=3)
    before = str(SPECS / f"decoder/{base}.yaml") if base else ""
    html = report([path], base=before, device="h200", degrees=spread).html
    assert len(html.encode()) < 150_000
    for each in (page("decoder/deepseek-v3"), html):
        elements = Elements(each).found
        offered = {attrs.get(f"data-{name}") for _, attrs, _ in elements for name in OFFERED}
        assert {"B", "T", "S", "precision", "kernel", "recompute", "optimizer"} <= offered
        assert {"zero", "sp", *"tdcxpvm"} <= offered
        assert any("data-device" in attrs for _, attrs, _ in elements)


def test_the_same_bytes_whatever_the_seed(tmp_path: Path) -> None:
    spec = SPECS / "decoder/mixtral-8x7b.yaml"
    pages = []
    for seed in ("0", "4321"):
        out = tmp_path / f"{seed}.html"
        command = [sys.executable, "-m", "compiler.cli", "report", str(spec), "-o", str(out)]
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run(command, check=True, env=environment, cwd=tmp_path)
        pages.append(out.read_bytes())
    assert pages[0] == pages[1]
    assert str(tmp_path).encode() not in pages[0]


def test_hostile_words_stay_words(tmp_path: Path) -> None:
    bad = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028&amp;"
    file = tmp_path / "a<b>&'\"<img src=x>.yaml"
    file.write_text(json.dumps({**LLAMA, "about": bad}), encoding="utf-8")
    html = report([str(file)]).html
    assert "<img" not in html
    assert html.count("<script") == html.count("</script>") == 2
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in html
    (found,) = [words for tag, attrs, words in Elements(html).found if attrs.get("id") == "data"]
    assert json.loads("".join(found))["specs"][0]["path"] == file.name


def test_headings_and_labels_for_who_cannot_see() -> None:
    html = page("decoder/llama3-8b")
    elements = Elements(html).found
    headings = [tag for tag, _, _ in elements if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == "h1"
    assert set(headings[1:]) == {"h2"}
    ids = [attrs["id"] for _, attrs, _ in elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for tag, attrs, _ in elements:
        if "aria-labelledby" in attrs:
            assert attrs["aria-labelledby"] in ids
        if tag == "svg":
            assert attrs.get("role") == "img" or attrs.get("aria-hidden") == "true"
    assert "<html lang=en>" in html


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2) of `#rrggbb` or `#rgb`."""
    digits = colour.removeprefix("#")
    pairs = [digits[i : i + 2] for i in (0, 2, 4)] if len(digits) == 6 else [c * 2 for c in digits]
    parts = [int(pair, 16) / 255 for pair in pairs]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


STYLE = (ROOT / "compiler/report/page/page.css").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_palette_can_be_read(scheme: str) -> None:
    """Text 4.5 to 1 on both grounds, lines and edges 3 to 1 (WCAG 2.2 AA)."""
    light, dark = re.findall(r":root\{(color-scheme[^}]*|--bg:#15[^}]*)\}", STYLE)
    colours = dict(re.findall(r"--(\w+):(#\w+)", dark if scheme == "dark" else light))
    for ground in (colours["bg"], colours["card"]):
        for name in ("fg", "mut", "good", "bad"):
            assert contrast(colours[name], ground) >= 4.5, name
        for name in ("edge", "square", "fused", "cache", "weights", "train", "device"):
            assert contrast(colours[name], ground) >= 3, name


@pytest.mark.parametrize("kind", KINDS)
def test_labels_in_bars_can_be_read(kind: str) -> None:
    found = re.search(rf"\.k-{kind}\{{fill:(#\w+)", STYLE)
    assert found
    assert contrast(found[1], "#fff") >= 4.5


def test_several_specs_stand_side_by_side() -> None:
    html = page("decoder/gpt2", "encoder/bert-base")
    elements = Elements(html).found
    assert [a["id"] for t, a, _ in elements if t == "article"] == ["spec-0", "spec-1"]
    assert html.count("<h1") == 1
    assert "Side by side" in html
    assert "What mixes positions" in html


def test_what_changed_against_a_base() -> None:
    html = page("decoder/llama3-8b", base=str(SPECS / "decoder/llama2-7b.yaml"))
    assert "What changed against the base" in html
    before, after = (
        cost(str(SPECS / f"decoder/{n}.yaml")).totals for n in ("llama2-7b", "llama3-8b")
    )
    less = round(1000 * (1 - after["kv_bytes_per_token"] / before["kv_bytes_per_token"]))
    assert less == 750
    assert f"\u221275.0{THIN}% against the base" in html
    assert "against the base" not in page("decoder/llama3-8b")


def test_what_fits_follows_the_kernel_that_is_chosen() -> None:
    """Rows whose figures the script counts anew hold in its setting alone."""
    html = page("decoder/llama3-8b", device="h100")
    assert re.findall(r"data-fit=\d+><th scope=row>([^<]*)<", html) == [
        "inference",
        "decoding",
        "training",
    ]
