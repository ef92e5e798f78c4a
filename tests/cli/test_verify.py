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
