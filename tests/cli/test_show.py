"""`archc show`: every default, and the program after each pass."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc


def test_the_resolved_spec_has_defaults_and_where_they_come_from(tiny: Path, archc: Archc) -> None:
    said = archc("show", str(tiny))
    assert (said.code, said.err) == (0, "")
    assert said.out == archc("show", str(tiny), "--resolved").out
    assert "kv_heads: 2" in said.out
    assert "# " in said.out


@pytest.mark.parametrize("stage", ["lower", "shapes", "fold", "fuse"])
def test_the_program_after_a_pass(stage: str, tiny: Path, archc: Archc) -> None:
    said = archc("show", str(tiny), "--ir", f"after:{stage}")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("program tiny\n")
    assert ("qkv:" in said.out) is (stage == "fuse")


@pytest.mark.parametrize(
    "line", [["--ir", "after:fussion"], ["--ir", "fuse"], ["--ir", "after:fuse", "--resolved"]]
)
def test_a_stage_that_is_none(line: list[str], tiny: Path, archc: Archc) -> None:
    said = archc("show", str(tiny), *line)
    assert (said.code, said.out) == (2, "")


def test_json_holds_the_text(tiny: Path, archc: Archc) -> None:
    document = json.loads(archc("show", str(tiny), "--ir", "after:fold", "--json").out)
    assert document["stage"] == "after:fold"
    assert document["text"].startswith("program tiny\n")


def test_a_wrong_spec_is_a_no_in_both_tongues(tiny: Path, archc: Archc) -> None:
    tiny.write_text(tiny.read_text().replace("act:", "atc:"))
    said = archc("show", str(tiny))
    assert (said.code, said.out) == (1, "")
    assert "did you mean `act`?" in said.err
    document = json.loads(archc("show", str(tiny), "--json").out)
    assert (document["ok"], document["kind"]) == (False, "show")
    assert document["diagnostics"][0]["code"].startswith("AR")
