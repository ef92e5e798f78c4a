"""`archc export-weights`: what it says, and every way to ask it wrongly."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc, Said

BUILT = "build/decoder/tiny"


@pytest.fixture
def spec(tiny: Path) -> str:
    """A small GPT-2 in a project of its own."""
    tiny.write_text(f"{tiny.read_text()}weights: gpt2\n")
    return str(tiny)


def test_a_build_is_written_in_the_familys_layout(spec: str, archc: Archc) -> None:
    assert archc("build", spec, "--no-verify").code == 0
    said = archc("export-weights", spec, "-o", "out", "--shard-size", "20KB")
    assert said.code == 0
    assert said.err == "transformers loads `out` once the model's config.json stands in it\n"
    index = json.loads(Path("out/model.safetensors.index.json").read_text())
    assert "transformer.h.1.attn.c_attn.weight" in index["weight_map"]
    head, files = said.out.splitlines()
    assert head.startswith("tiny exported in ")
    assert f"{len(index['weight_map'])} tensors" in head
    assert files.startswith("  out  model-00001-of-0000")


def test_a_folder_with_its_config_wants_nothing_more(spec: str, archc: Archc) -> None:
    Path("out").mkdir()
    Path("out/config.json").write_text("{}")
    said = archc("export-weights", spec, "--weights", "init", "-o", "out")
    assert (said.code, said.err) == (0, "")


def test_it_tells_a_program(spec: str, archc: Archc) -> None:
    asked = ("--weights", "init", "--out", "out", "--json")
    told = json.loads(archc("export-weights", spec, *asked).out)
    assert (told["kind"], told["ok"], told["path"]) == ("export-weights", True, spec)
    assert told["files"] == ["model.safetensors"]
    assert told["bytes"] < Path("out/model.safetensors").stat().st_size < told["bytes"] + 5000
    again = archc("export-weights", spec, *asked)
    assert again.code == 2
    assert json.loads(again.out)["error"] == "`out` holds weights already: `model.safetensors`"


def test_settings_are_of_the_spec(spec: str, archc: Archc) -> None:
    asked = ("--set", "n_layers=1", "--weights", "init", "--out", "out", "--json")
    assert archc("export-weights", spec, *asked).code == 0
    other = archc("export-weights", spec, "--weights", "out", "--out", "back")
    assert (other.code, "[AR0708]" in other.err) == (1, True)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["-o", "out"], f"there is no `{BUILT}/model.safetensors`"),
        (["--weights", "init"], "requires an argument"),
        (["--weights", "none", "-o", "out"], "there are no weights to export"),
        (["--weights", "init", "-o", "out", "--shard-size", "big"], "`big` is not a size"),
        (["--weights", "init", "-o", "specs/decoder/tiny.yaml"], "cannot write"),
    ],
)
def test_wrong_questions_have_no_answer(
    asked: list[str], reason: str, spec: str, archc: Archc
) -> None:
    said = archc("export-weights", spec, *asked)
    assert (said.code, said.out) == (2, "")
    assert reason in said.err


def test_a_spec_without_a_family_is_refused(tiny: Path, archc: Archc) -> None:
    said = archc("export-weights", str(tiny), "--weights", "init", "-o", "out")
    assert (said.code, said.out) == (1, "")
    assert "error[AR0715]: there is no layout of files to export to" in said.err
    assert "no `weights:` in this spec" in said.err


def test_quiet_where_there_is_no_spec(tiny: Path, archc: Archc) -> None:
    said = archc("export-weights", "specs/decoder/tini.yaml", "-o", "out")
    hint = "did you mean `specs/decoder/tiny.yaml`?"
    assert said == Said(2, "", f"error: no file `specs/decoder/tini.yaml`\nhelp: {hint}\n")
