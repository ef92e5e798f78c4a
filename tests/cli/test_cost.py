"""`archc cost` against published counts."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc

SPECS = Path(__file__).parents[2] / "specs"
GPT2 = str(SPECS / "decoder" / "gpt2.yaml")


@pytest.mark.parametrize(
    ("spec", "parameters"),
    [
        ("decoder/gpt2", 124_439_808),
        ("decoder/gpt3-175b", 174_604_259_328),
        ("decoder/llama3-8b", 8_030_261_248),
        ("encoder/bert-base", 109_482_240),
        ("encoder/minilm-l6", 22_713_216),
        ("vision/vit-b16-cls", 86_567_656),
    ],
)
def test_published_parameter_counts(spec: str, parameters: int, archc: Archc) -> None:
    said = archc("cost", str(SPECS / f"{spec}.yaml"), "--json")
    assert (said.code, said.err) == (0, "")
    assert json.loads(said.out)["totals"]["parameters"] == parameters


def test_text_and_markdown_and_formulas(archc: Archc) -> None:
    text = archc("cost", GPT2).out
    assert "gpt2" in text
    assert archc("cost", GPT2, "--format", "markdown").out.startswith("# ")
    assert len(archc("cost", GPT2, "--formulas").out) > len(text)


def test_sizes_change_the_counts(archc: Archc) -> None:
    short, long = (
        json.loads(archc("cost", GPT2, "--at", f"B=1,T={length},S={length}", "--json").out)
        for length in (128, 256)
    )
    assert short["at"]["T"] == 128
    assert long["totals"]["matmul_flops"] > 2 * short["totals"]["matmul_flops"]
    assert long["totals"]["parameters"] == short["totals"]["parameters"]


@pytest.mark.parametrize("at", ["Q=3", "B", "B=0", "T=1,T=2", "B=1.5", "T=99999"])
def test_sizes_that_make_no_sense_are_no_answer(at: str, archc: Archc) -> None:
    said = archc("cost", GPT2, "--at", at)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error")


@pytest.mark.parametrize("option", ["at", "device", "parallel", "explain", "budget", "assume"])
@pytest.mark.parametrize("form", [("--{}", ""), ("--{}=",)])
def test_an_option_that_says_nothing_is_no_answer(
    option: str, form: tuple[str, ...], archc: Archc
) -> None:
    said = archc("cost", GPT2, *(word.format(option) for word in form))
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"error: nothing is given for `--{option}`\n")


def test_a_folder_is_no_spec(tmp_path: Path, archc: Archc) -> None:
    said = archc("cost", str(tmp_path))
    assert (said.code, said.out) == (2, "")
    assert "a folder without a config.json" in said.err


def test_a_broken_budget_is_a_no_with_all_figures(tiny: Path, archc: Archc) -> None:
    tiny.write_text(tiny.read_text() + "budget: {parameters: 10}\n")
    said = archc("cost", str(tiny), "--json")
    document = json.loads(said.out)
    assert (said.code, document["ok"]) == (1, False)
    assert document["totals"]["parameters"] > 10
    assert archc("check", str(tiny)).code == 1


@pytest.mark.parametrize("format", ["github", "sarif", "junit"])
@pytest.mark.parametrize("option", [("--at", "T=8"), ("--device", "h100"), ("--formulas",)])
def test_what_has_no_say_is_refused(format: str, option: tuple[str, ...], archc: Archc) -> None:
    said = archc("cost", GPT2, "--format", format, *option)
    assert (said.code, said.out) == (2, "")
    assert f"`{option[0]}` has no say there" in said.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--primitives", "--training"), "`--training` has no say there"),
        (("--primitives", "--budget", "limits.yaml"), "`--budget` has no say there"),
        (("--primitives", "--device", "h100"), "`--device` has no say there"),
        (("--primitives", "--format", "markdown"), "`--primitives` prints text, or JSON"),
        (("--explain", "kv_bytes", "--format", "markdown"), "`--explain` prints text, or JSON"),
    ],
)
def test_what_does_not_go_together(options: tuple[str, ...], message: str, archc: Archc) -> None:
    said = archc("cost", GPT2, *options)
    assert (said.code, said.out) == (2, "")
    assert message in said.err


@pytest.mark.parametrize("form", [("--json",), ("--format", "json"), ("--format=json",)])
@pytest.mark.parametrize("wrong", [("none.yaml",), (GPT2, "--at", "T=0"), (GPT2, "--at", "Q=1")])
def test_no_answer_is_json_too(form: tuple[str, ...], wrong: tuple[str, ...], archc: Archc) -> None:
    said = archc("cost", *wrong, *form)
    document = json.loads(said.out)
    assert (said.code, said.err, document["ok"], document["kind"]) == (2, "", False, "cost")
