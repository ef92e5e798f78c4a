"""`archc check`: exit codes and streams."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc


def test_a_good_spec_passes_in_silence(tiny: Path, archc: Archc) -> None:
    said = archc("check", "specs", str(tiny))
    assert (said.code, said.out, said.err) == (0, "", "")


def test_all_errors_at_once_on_stderr(tiny: Path, archc: Archc) -> None:
    tiny.write_text(tiny.read_text().replace("act:", "atc:").replace("n_heads: 2", "n_heads: 3"))
    tiny.with_name("worse.yaml").write_text("graph: [")
    said = archc("check", "specs")
    assert (said.code, said.out) == (1, "")
    assert f"--> {tiny}:" in said.err
    assert "did you mean `act`?" in said.err
    assert "worse.yaml" in said.err
    assert said.err.splitlines()[-1].startswith("found ")
    assert said.err.splitlines()[-1].endswith(" errors in 2 specs")


@pytest.mark.parametrize("text", [b"", b"\x00\xff\xfe", b"# nothing\n", b"[1, 2"])
def test_text_that_is_no_spec_is_a_no(text: bytes, tiny: Path, archc: Archc) -> None:
    tiny.write_bytes(text)
    said = archc("check", str(tiny))
    assert said.code == 1
    assert "error[AR00" in said.err


@pytest.mark.parametrize(
    "line",
    [
        ["nowhere.yaml"],
        [],
        ["specs", "--set", "no.such.path=1"],
        ["specs", "--set", "d_model"],
        ["specs", "--format", "xml"],
    ],
)
def test_a_question_that_cannot_be_answered(line: list[str], tiny: Path, archc: Archc) -> None:
    said = archc("check", *line)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error")


def test_a_spec_may_come_through_a_pipe(tiny: Path, archc: Archc) -> None:
    assert archc("check", "-", stdin=tiny.read_text()).code == 0
    said = archc("check", "-", stdin=tiny.read_text().replace("act:", "atc:"))
    assert said.code == 1
    assert "atc: gelu_tanh" in said.err


def test_json_has_one_entry_a_spec(tiny: Path, archc: Archc) -> None:
    tiny.with_name("bad.yaml").write_text("name: bad\n")
    said = archc("check", "specs", "--json")
    document = json.loads(said.out)
    assert (said.code, said.err, document["ok"]) == (1, "", False)
    assert [Path(each["path"]).name for each in document["specs"]] == ["bad.yaml", "tiny.yaml"]
    assert document["specs"][1]["diagnostics"] == []
