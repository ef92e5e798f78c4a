"""`archc diff` as a gate: limits of a file, and how much totals may grow."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc
from tests.shipped import SPECS

GPT2 = str(SPECS / "decoder" / "gpt2.yaml")
WIDER = ("--set", "vocab=50304")  # 47 rows of 768: 36 096 of 124 439 808 parameters, 0.029 %


@pytest.mark.parametrize(("allowed", "code"), [("0.03%", 0), ("0.029%", 1), ("0", 1), ("5%", 0)])
def test_growth_is_a_no_where_it_is_more_than_allowed(
    allowed: str, code: int, archc: Archc
) -> None:
    options = (*WIDER, "--growth", f"parameters={allowed},kv_bytes=0")
    said = archc("diff", GPT2, *options)
    assert (said.code, said.err) == (code, "")
    assert ("GREW  `parameters` grew" in said.out) == bool(code)
    marked = archc("diff", GPT2, *options, "--format", "markdown")
    assert marked.code == code
    assert ("* **grew too much**: `parameters` grew" in marked.out) == bool(code)
    if code:
        assert "grew by 36.1" in said.out
        assert "because of --set vocab=50304" in said.out
    found = json.loads(archc("diff", GPT2, *options, "--json").out)
    assert found["ok"] is not bool(code)
    (first, second) = found["growth"]
    assert (first["before"], first["after"]) == (124_439_808, 124_439_808 + 47 * 768)
    assert (first["ok"], second["ok"]) == (not code, True)


def test_limits_of_a_file_hold_for_the_second_spec(tmp_path: Path, archc: Archc) -> None:
    file = tmp_path / "limits.yaml"
    file.write_text("parameters: 124439808\n")
    assert archc("diff", GPT2, *WIDER, "--budget", str(file)).code == 1
    assert archc("diff", GPT2, "--set", "n_layers=11", "--budget", str(file)).code == 0


def test_growth_that_cannot_be_read_is_no_answer(archc: Archc) -> None:
    said = archc("diff", GPT2, *WIDER, "--growth", "parameter=5%")
    assert (said.code, said.out) == (2, "")
    assert "did you mean `parameters`?" in said.err
