"""`archc cost` in a setting, and limits from files."""

import json
from pathlib import Path

import pytest

from compiler.report.numbers import THIN
from tests.cli.conftest import Archc
from tests.shipped import SPECS

GPT2 = str(SPECS / "decoder" / "gpt2.yaml")
WEIGHTLESS = str(SPECS / "history" / "04-dot-product-attention.yaml")
OPTIONS = ("--kernel", "eager", "--recompute", "full", "--optimizer", "sgd")


def test_the_setting_is_in_the_document_and_changes_it(archc: Archc) -> None:
    usual, other = (
        json.loads(archc("cost", GPT2, "--json", *options).out) for options in ((), OPTIONS)
    )
    names = ("precision", "kernel", "recompute", "optimizer")
    assert usual["setting"] == dict(zip(names, ("bf16", "fused", "none", "adamw"), strict=True))
    assert other["setting"] == dict(zip(names, ("bf16", "eager", "full", "sgd"), strict=True))
    assert other["totals"]["read_bytes"] > usual["totals"]["read_bytes"]
    assert other["totals"]["parameters"] == usual["totals"]["parameters"]


def test_the_command_of_the_markdown_gives_it_again(tmp_path: Path, archc: Archc) -> None:
    file = tmp_path / "my limits.yaml"
    file.write_text("parameters: 2e8\n")
    said = archc("cost", GPT2, *OPTIONS, "--budget", str(file), "--format", "markdown").out
    options = " ".join(OPTIONS)
    assert f"{options} --budget '{file}' --format markdown`" in said
    assert "--kernel" not in archc("cost", GPT2, "--format", "markdown").out


@pytest.mark.parametrize("form", [("--training",), ("--json",)])
def test_a_peak_that_nothing_counts_is_missing_by_name(form: tuple[str, ...], archc: Archc) -> None:
    said = archc("cost", WEIGHTLESS, *form).out
    assert "`training_peak_bytes` is not known for this model: no weight is in the loss." in said
    assert "is not known" not in archc("cost", GPT2, *form).out


@pytest.mark.parametrize("metric", ["training_peak_bytes", "training_tensors_bytes"])
def test_a_limit_of_what_nothing_counts_says_why(metric: str, tmp_path: Path, archc: Archc) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text(f"{metric}: 1e12\n")
    said = archc("cost", WEIGHTLESS, "--budget", str(file))
    assert said.code == 1
    assert f"error[AR0811]: `{metric}` is not known for this model" in said.err
    assert "no weight is in the loss" in said.err
    assert "help" not in said.err


def test_training_is_told_when_it_is_asked_for(archc: Archc) -> None:
    assert "training" not in archc("cost", GPT2).out
    asked = archc("cost", GPT2, "--training").out
    assert "training in bf16 with adamw, fused attention, nothing computed twice:" in asked
    eager = archc("cost", GPT2, "--kernel", "eager").out
    assert "874 944 921 600" in eager.replace(THIN, " ")  # FlopCounterMode, forward and backward
    changed = archc("cost", GPT2, "--optimizer", "sgd").out
    assert "training in bf16 with sgd" in changed
    marked = archc("cost", GPT2, *OPTIONS, "--format", "markdown").out
    assert "In bf16 with sgd, attention written out, layers computed again." in marked


@pytest.mark.parametrize("option", ["kernel", "recompute", "optimizer", "precision"])
def test_a_choice_that_there_is_not_is_no_answer(option: str, archc: Archc) -> None:
    said = archc("cost", GPT2, f"--{option}", "best")
    assert (said.code, said.out) == (2, "")


def test_limits_of_a_file_are_kept_beside_the_spec_s_own(tiny: Path, archc: Archc) -> None:
    tiny.write_text(tiny.read_text() + "budget: {parameters: 1e6}\n")
    file = Path("limits.yaml")
    file.write_text("# all\nkv_bytes: 1\n")
    for command in ("check", "cost"):
        assert archc(command, str(tiny)).code == 0
        assert archc(command, str(tiny), "--budget", str(file)).code == 1
    assert "--> limits.yaml:2:1" in archc("check", str(tiny), "--budget", str(file)).err
    found = json.loads(archc("cost", str(tiny), "--budget", str(file), "--json").out)["budget"]
    assert [(each["metric"], each["ok"]) for each in found] == [
        ("parameters", True),
        ("kv_bytes", False),
    ]
    assert (found[1]["file"], found[1]["line"]) == ("limits.yaml", 2)


def test_a_file_of_limits_that_is_not_there_is_no_answer(tiny: Path, archc: Archc) -> None:
    said = archc("check", str(tiny), "--budget", "none.yaml")
    assert (said.code, said.out) == (2, "")
    assert "cannot read `none.yaml`" in said.err
