"""`archc verify` on a small decoder."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc
from tests.cli.test_documents import judged


def test_a_good_spec_is_proven(tiny: Path, archc: Archc) -> None:
    said = archc("verify", str(tiny), "--json")
    (verdict,) = json.loads(said.out)["specs"]
    assert said.code == 0
    assert verdict["ok"] is True


def test_a_wrong_spec_is_a_no(tiny: Path, archc: Archc) -> None:
    tiny.write_text(tiny.read_text().replace("act:", "atc:"))
    said = archc("verify", str(tiny))
    assert (said.code, said.out) == (1, "")


def test_a_precision_fails_above_the_loss_that_is_stated(tiny: Path, archc: Archc) -> None:
    asked = ("verify", str(tiny), "--target", "cpu", "--precision", "int8", "--set", "d_model=64")
    held = archc(*asked)
    assert held.code == 0 and "cpu int8 = torch" in held.out and "mean cosine" in held.out
    refused = archc(*asked, "--loss", "1e-6")
    assert refused.code == 1
    assert refused.out.endswith("  0 of 1 hold, 1 does not\n")
    assert archc("verify", str(tiny), "--precision", "int4").code == 2


def test_what_was_not_run_is_said(tiny: Path, archc: Archc) -> None:
    """Nothing runs on CUDA here: the figures are those of the same model for a CPU."""
    said = archc("verify", str(tiny), "--target", "cuda")
    assert said.out.splitlines()[0].endswith("; for cpu in fp32: the model for cuda was not run")
    assert "not run" not in archc("verify", str(tiny), "--target", "cpu").out


def test_a_built_folder_is_held_against_its_manifest(tiny: Path, archc: Archc) -> None:
    assert archc("build", str(tiny), "--no-verify").code == 0
    both = ("build/decoder/tiny", "generated/decoder/tiny")
    said = archc("verify", *both)
    assert said.code == 0
    assert said.out.startswith("build/decoder/tiny: 5 files as written\n  ok    attend.py")
    with Path(both[0], "model.onnx.data").open("r+b") as file:
        file.write(b"?")
    said = archc("verify", *both)
    assert said.code == 1
    assert "FAIL  model.onnx.data    differs from what was written" in said.out
    document = json.loads(archc("verify", *both, "--json").out)
    assert [each["ok"] for each in document["specs"]] == [False, True]
    assert judged("verify", [document]) == [[]]
    assert "options are for specs" in archc("verify", both[0], "--target", "cpu").err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--weights", "nowhere"], "no weights at `nowhere`"),
        (["--weights", "none"], "no weights at `none`"),
        (["--loss", "nan"], "`--loss` must be a number from 0 on"),
        (["--loss", "-1"], "`--loss` must be a number from 0 on"),
    ],
)
def test_wrong_questions_have_no_answer(
    asked: list[str], said: str, tiny: Path, archc: Archc
) -> None:
    answer = archc("verify", str(tiny), "--target", "cpu", *asked)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err and "help: " in answer.err
