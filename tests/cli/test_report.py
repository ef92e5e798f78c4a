"""`archc report`: where the page goes, what is compared, and every way to ask it wrongly."""

import json
import subprocess
from html import unescape
from pathlib import Path

from tests.cli.conftest import Archc, Said


def test_the_page_is_the_answer(tiny: Path, archc: Archc) -> None:
    said = archc("report", str(tiny))
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("<!DOCTYPE html>")
    assert archc("report", str(tiny), "-o", "a.html") == Said(0, "", "")
    assert Path("a.html").read_text(encoding="utf-8") == said.out
    assert archc("report", str(tiny), "--out", "-").out == said.out
    assert archc("report", "-", stdin=tiny.read_text(encoding="utf-8")).code == 0


def test_the_document(tiny: Path, archc: Archc) -> None:
    told = json.loads(archc("report", str(tiny), "--json").out)
    assert (told["kind"], told["ok"], told["specs"]) == ("report", True, [str(tiny)])
    assert told["html"].startswith("<!DOCTYPE html>")
    told = json.loads(archc("report", str(tiny), "-o", "a.html", "--json").out)
    assert told["out"] == "a.html"
    assert "html" not in told


def test_the_command_is_on_the_page(tiny: Path, archc: Archc) -> None:
    asked = ("--at", "B=2,T=8", "--precision", "fp32", "--set", "d_model=128", "--device", "h200")
    page = archc("report", str(tiny), *asked).out
    assert (
        "<pre>archc report specs/decoder/tiny.yaml --at B=2,T=8 --precision fp32 "
        "--device h200 --set d_model=128</pre>" in page
    )
    assert "archc cost specs/decoder/tiny.yaml --at B=2,T=8,S=8 --precision fp32" in page


def test_a_budget_that_breaks_is_said_on_the_page(tiny: Path, archc: Archc) -> None:
    text = tiny.read_text(encoding="utf-8") + "budget: {parameters: 1000}\n"
    tiny.write_text(text, encoding="utf-8")
    said = archc("report", str(tiny), "--out", "page.html")
    assert (said.code, said.out) == (1, "")
    assert "error[AR0810]: `parameters` is over budget" in said.err
    assert "over budget" in Path("page.html").read_text(encoding="utf-8")


def test_limits_of_a_file_are_on_the_page_and_in_its_command(tiny: Path, archc: Archc) -> None:
    Path("my limits.yaml").write_text("parameters: 1000\nweights_bytes: 1e9\n", encoding="utf-8")
    said = archc("report", str(tiny), "--budget", "my limits.yaml")
    assert said.code == 1
    assert "error[AR0810]: `parameters` is over budget" in said.err
    assert "--> my limits.yaml:1:1" in said.err
    assert "<b>over budget</b>" in said.out and "<b>holds</b>" in said.out
    assert unescape(said.out).count("--budget 'my limits.yaml'") == 2


def test_a_revision_is_a_base(tiny: Path, archc: Archc) -> None:
    git = ("git", "-c", "user.name=n", "-c", "user.email=e@e")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run([*git, *words], check=True)
    tiny.write_text(tiny.read_text(encoding="utf-8").replace("n_layers: 2", "n_layers: 4"))
    page = archc("report", str(tiny), "--base", "HEAD").out
    assert "base specs/decoder/tiny.yaml@HEAD" in page
    assert "--base HEAD" in page
    assert "What changed against the base" in page
    refused = archc("report", str(tiny), "--base", "nowhere")
    assert (refused.code, refused.out) == (2, "")
    assert "nowhere" in refused.err


def test_what_cannot_be_answered(tiny: Path, archc: Archc) -> None:
    for asked in (
        (),
        ("no.yaml",),
        (str(tiny), "--at", "Q=3"),
        (str(tiny), "--at", "T=0"),
        (str(tiny), "--precision", "int3"),
        (str(tiny), "--device", "h2000"),
        (str(tiny), "--parallel", "tp=7"),
        (str(tiny), "--parallel", "xy=7"),
        (str(tiny), "--assume", "efficiency=0.5"),
        (str(tiny), "-o", "no/such/folder/a.html"),
    ):
        said = archc("report", *asked)
        assert (said.code, said.out) == (2, ""), asked
        assert said.err, asked
    assert archc("report", "-", "--base", "HEAD", stdin=tiny.read_text()).code == 2


def test_a_spec_that_is_wrong(tiny: Path, archc: Archc) -> None:
    tiny.write_text(tiny.read_text().replace("n_heads: 2", "n_heads: 7"))
    said = archc("report", str(tiny))
    assert (said.code, said.out) == (1, "")
    assert "error[AR" in said.err
