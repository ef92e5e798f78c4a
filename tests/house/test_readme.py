"""The README is true: its spec, source and figures are the compiler's, its commands exist."""

import json
import re
import shlex
from pathlib import Path

import pytest

import archspec
import compiler
from compiler.cli.table import COMMANDS
from tests.cli.conftest import Archc, archc
from tests.pipeline.test_genai import published

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
SPEC = ROOT / "specs" / "decoder" / "gpt2.yaml"

__all__ = ["archc"]


THIN = "\u202f"


def report() -> str:
    """What `archc cost` prints, with plain spaces in its numbers."""
    return str(compiler.compile(archspec.load(SPEC)).cost()).replace(THIN, " ")


def block(language: str, start: str) -> str:
    """The one block of a language that starts so."""
    (found,) = (text for kind, text in BLOCKS if kind == language and text.startswith(start))
    return str(found)


def test_the_spec_is_the_one_in_specs() -> None:
    assert block("yaml", "# yaml-language-server") == SPEC.read_text(encoding="utf-8")


def test_the_source_is_what_it_compiles_to() -> None:
    assert block("python", "class Attention") in compiler.compile(archspec.load(SPEC)).torch()


def test_the_figures_are_those_of_the_report() -> None:
    _, figures = block("", "$ archc cost").split("\n", 1)
    assert report().startswith(figures)


def test_the_summary_of_the_build_has_the_same_figures() -> None:
    built = block("", "$ archc build")
    shown = dict(re.findall(r"^([a-z ]+?)  +([\d.]+ \w+)  ", report(), re.MULTILINE))
    assert f"{shown['parameters']} parameters · {shown['forward']} at B=1,T=1024,S=1024" in built
    assert f"{shown['cache']} of KV per token" in built


def small_spec() -> str:
    """The spec of the README with sizes that a test can build."""
    text = SPEC.read_text(encoding="utf-8")
    return text.replace("768", "24").replace("50257", "40").replace(": 1024", ": 32")


def test_the_build_writes_the_files_that_are_named(
    archc: Archc, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "specs" / "decoder" / "gpt2.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(small_spec())
    built = block("", "$ archc build")
    written = re.compile(r"^  (?:generated|build)/.*(?=  \()", re.MULTILINE)
    assert written.findall(archc("build", str(path)).out) == written.findall(built)
    texts = (ROOT / "generated" / "decoder" / "gpt2").iterdir()
    size = sum(each.stat().st_size for each in texts if each.name != "manifest.json")
    assert f"({size / 1024:.1f} KiB)" in built


def commands() -> list[str]:
    lines = [line for _, text in BLOCKS for line in text.splitlines()]
    found = [line.removeprefix("$ ") for line in lines if re.match(r"(\$ )?archc [a-z]", line)]
    said = [re.split(r" {3,}|  ·| · ", line)[0] for line in found]
    return [*said, *re.findall(r"`(archc [a-z]+[^`]*)`", README)]


@pytest.mark.parametrize("line", commands())
def test_every_command_exists_with_its_options(line: str, archc: Archc) -> None:
    words = shlex.split(line)[1:]
    assert words[0] in COMMANDS
    page = archc(words[0], "--help").out
    assert [word for word in words if word.startswith("--") and word not in page] == []


def test_every_option_named_beside_a_command_is_its_own(archc: Archc) -> None:
    table = block("", "archc new")
    for line in table.splitlines():
        command = line.split()[1]
        if command in COMMANDS:
            page = archc(command, "--help").out
            assert [option for option in re.findall(r"--[a-z]+", line) if option not in page] == []


def test_every_command_is_named() -> None:
    assert [name for name in COMMANDS if not re.search(rf"\b{name}\b", README)] == []


def test_every_link_leads_somewhere() -> None:
    places = re.findall(r"\]\(([^)#]+)\)", README)
    assert places
    assert [place for place in places if not (ROOT / place).exists()] == []


def test_the_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "specs" / "decoder").mkdir(parents=True)
    (tmp_path / "specs" / "decoder" / "gpt2.yaml").write_text(small_spec())
    text = block("python", "import archspec").replace("T=1024", "T=32").replace(": 24}", ": 2}")
    exec(compile(text, "README.md", "exec"), {})
    assert (tmp_path / "build/decoder/gpt2-deep/model.onnx").is_file()


@pytest.mark.slow
def test_serving_goes_as_it_is_said(
    archc: Archc,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With a small model in the place of the released one."""
    monkeypatch.chdir(tmp_path)
    published("llama", tmp_path / "small")
    assert archc("import", "small", "-o", "qwen.yaml").code == 0
    lines = block("", "archc build qwen.yaml --weights ~/models/Qwen2.5-0.5B --target cpu ")
    small = lines.replace("~/models/Qwen2.5-0.5B", "small").replace("9707", "9")
    said = [archc(*shlex.split(re.split(" {3,}", line)[0])[1:]) for line in small.splitlines()]
    assert [each.code for each in said] == [0] * 4, said
    in_place, packed, _, ids = (each.out for each in said)
    assert "weights in place" in in_place and "genai_config.json" in in_place
    assert "relative error" in packed
    text = block("python", "import numpy").replace("9707", "9")
    exec(compile(text, "README.md", "exec"), {})
    assert capsys.readouterr().out.split() == ids.split() != []
    (exception,) = re.findall(r"`--precision-map '([^`]+)'`", README)
    packing = ("build", "qwen.yaml", "--target", "cpu", "--precision", "int4", "--emit", "onnx")
    assert archc(*packing, "--precision-map", exception).code == 0


def test_the_budget_of_the_readme_is_judged(archc: Archc, tmp_path: Path) -> None:
    (budget,) = re.findall(r"`(budget: \{.*\})`", README)
    path = tmp_path / "gpt2.yaml"
    path.write_text(f"{SPEC.read_text()}{budget}\n")
    assert archc("check", str(path)).code == 0
    assert "is over budget" in archc("check", str(path), "--set", "n_layers=13").err


def test_the_file_of_limits_is_judged(archc: Archc, tmp_path: Path) -> None:
    limits = tmp_path / "limits.yaml"
    limits.write_text(block("yaml", "parameters: "))
    said = archc("cost", str(SPEC), "--budget", str(limits), "--json")
    verdicts = json.loads(said.out)["budget"]
    assert (said.code, [each["ok"] for each in verdicts]) == (0, [True] * 4)
    (fitting,) = [each for each in verdicts if each["device"]]
    assert fitting["limit"] == (24 - 2) * 2**30
