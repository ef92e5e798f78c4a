"""`archc cost --device`: in text, Markdown and JSON, and what it refuses."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc
from tests.shipped import SPECS

GPT2 = str(SPECS / "decoder" / "gpt2.yaml")


def test_the_section_follows_the_report(archc: Archc) -> None:
    said = archc("cost", GPT2, "--device", "h200")
    assert said.code == 0
    assert said.out.startswith("gpt2 at B=1")
    assert "\non NVIDIA H200 SXM 141 GB (`h200-sxm`)" in said.out
    marked = archc("cost", GPT2, "--device", "h200", "--format", "markdown").out
    assert marked.startswith("# What gpt2 costs")
    assert "\n\n## On NVIDIA H200 SXM 141 GB\n" in marked


def test_json_has_the_device_and_its_assumptions(archc: Archc) -> None:
    options = ("--device", "h200", "--assume", "efficiency=0.5", "--json")
    found = json.loads(archc("cost", GPT2, *options).out)["device"]
    assert found["name"] == "h200-sxm"
    assert found["assumptions"]["efficiency"] == 0.5
    assert {phase["name"] for phase in found["phases"]} == {"prefill", "decode"}


def test_the_table_is_listed_without_a_spec(archc: Archc) -> None:
    said = archc("cost", "--device", "list")
    assert said.code == 0
    assert "mi300x" in said.out
    found = json.loads(archc("cost", "--device", "list", "--json").out)
    assert found["kind"] == "devices"
    assert "h100-sxm" in [each["name"] for each in found["devices"]]


def test_a_file_of_the_user(archc: Archc, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    device = "{memory_gib: 48, bandwidth_gb_s: 864, tflops: {bf16: 181}}"
    file.write_text(f"devices:\n  mine: {device}\n", encoding="utf-8")
    assert "on mine (`mine`): 181" in archc("cost", GPT2, "--device", str(file)).out
    file.write_text("devices:\n  mine: {memory_gib: 48}\n", encoding="utf-8")
    said = archc("cost", GPT2, "--device", str(file))
    assert said.code == 2
    assert f"{file}:2:3" in said.err
    assert "AR0952" in said.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--device", "h20"), "did you mean `h200`?"),
        (("--device", "none.yaml"), "cannot read `none.yaml`"),
        (("--device", "h200", "--assume", "efficiency=2"), "AR0953"),
        (("--device", "b300", "--precision", "fp32"), "AR0954"),
        (("--assume", "efficiency=1"), "name one with `--device`"),
        (("--device", "h200", "--primitives"), "compares specs"),
    ],
)
def test_what_cannot_be_answered(archc: Archc, options: tuple[str, ...], said: str) -> None:
    found = archc("cost", GPT2, *options)
    assert found.code == 2
    assert said in found.err
    assert not found.out
