"""`archc diff` as a gate: limits of a file, and how much totals may grow."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Archc
from tests.shipped import SPECS

GPT2 = str(SPECS / "decoder" / "gpt2.yaml")
VIT = str(SPECS / "vision" / "vit-b16-cls.yaml")
DEEPSEEK = str(SPECS / "decoder" / "deepseek-v3.yaml")
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


def test_every_total_that_is_counted_of_both_may_be_held(archc: Archc) -> None:
    """What tells nothing of both models, as frozen parameters of models without any, is held too;
    what one of them has not is no answer."""
    growth = ("--growth", "parameters_frozen=0,kv_held_bytes=0,source_kv_bytes=0")
    said = json.loads(archc("diff", GPT2, "--set", "n_layers=13", *growth, "--json").out)
    frozen, held, source = said["growth"]
    assert (frozen["before"], frozen["after"], frozen["ok"]) == (0, 0, True)
    assert (held["before"], held["after"], held["ok"]) == (37_748_736, 40_894_464, False)
    assert (source["after"], source["ok"]) == (0, True)
    refused = archc("diff", GPT2, VIT, "--growth", "decode_peak_bytes=0")
    assert (refused.code, refused.out) == (2, "")
    assert "`decode_peak_bytes` is not known for both models" in refused.err


def test_what_only_one_model_has_is_a_total_of_both(archc: Archc) -> None:
    said = json.loads(archc("diff", GPT2, DEEPSEEK, "--json").out)["totals"]
    frozen = 58 * 256  # a correction for each expert of each of 58 routers
    assert (said["parameters_frozen"]["before"], said["parameters_frozen"]["after"]) == (0, frozen)
