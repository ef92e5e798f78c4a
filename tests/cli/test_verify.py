"""`archc verify` on a small decoder."""

import json
from pathlib import Path

from tests.cli.conftest import Archc


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
    assert archc(*asked, "--loss", "1e-6").code == 1
    assert archc("verify", str(tiny), "--precision", "int4").code == 2
