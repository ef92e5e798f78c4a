"""A package adds a word and an operator: the language, both programs and the costs know them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extension.conftest import Archc

T, D, LAYERS, VOCAB, HIDDEN = 16, 32, 2, 100, 128


@pytest.fixture(scope="module")
def built(archc: Archc, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out")
    done = archc("build", "spec.yaml", "--out", str(out))
    assert done.returncode == 0, done.stderr
    return out / "spec"


def test_the_schema_knows_the_word(archc: Archc) -> None:
    schema = json.loads(archc("schema").stdout)
    assert schema["$defs"]["token_shift"]["properties"]["start"]["default"] == 0.5
    assert "token_shift" in json.dumps(schema["$defs"]["sublayer"])


def test_it_is_explained_and_listed(archc: Archc) -> None:
    assert "mixed with the one before it" in archc("explain", "token_shift").stdout
    assert "x:BTD; weight:D -> y:BTD" in archc("ops").stdout
    assert "archspec-token-shift 0.1.0" in archc("doctor").stdout


def test_findings_stand_at_their_place(archc: Archc, tmp_path: Path) -> None:
    text = (Path(__file__).parent / "token_shift" / "spec.yaml").read_text(encoding="utf-8")
    spec = tmp_path / "wrong.yaml"
    spec.write_text(text.replace("{start: 0.25}", "{start: 1.5, strat: 2}"))
    done = archc("check", "wrong.yaml", within=tmp_path)
    assert done.returncode == 1
    assert "wrong.yaml:12:" in done.stderr + done.stdout
    assert "did you mean `start`?" in done.stderr + done.stdout


def test_the_module_computes_the_mixture(built: Path) -> None:
    """Against the shift as RWKV's authors write it: pad in front, cut behind."""
    code = """
import sys, torch
from torch import nn
sys.path.insert(0, sys.argv[1])
import model
shift = model.PreviousMix(4, 0.25)
x = torch.randn(2, 5, 4)
expected = 0.25 * x + 0.75 * nn.ZeroPad2d((0, 0, 1, -1))(x)
assert torch.allclose(shift(x), expected, atol=1e-7)
start = model.Shifted().h[0].shift.shift.weight
assert start.shape == (32,) and bool((start == 0.25).all())
"""
    subprocess.run([sys.executable, "-c", code, str(built)], check=True)


def test_both_programs_agree_and_laws_hold(archc: Archc) -> None:
    done = archc("verify", "spec.yaml")
    assert done.returncode == 0, done.stdout + done.stderr


def test_its_weights_and_work_are_counted(archc: Archc) -> None:
    done = archc("cost", "spec.yaml", "--json", "--at", "T=16")
    totals = json.loads(done.stdout)["totals"]
    norms, mlp = 2 * D, 2 * D * HIDDEN
    expected = VOCAB * D + norms + LAYERS * (norms + D + norms + mlp)
    assert totals["parameters"] == expected
    layer = 5 * T * D + 3 * T * D + T * D + 5 * T * D + 2 * T * HIDDEN + T * D
    assert totals["elementwise_flops"] == LAYERS * layer + 5 * T * D


def test_the_manifest_names_the_package(built: Path) -> None:
    versions = json.loads((built / "manifest.json").read_text(encoding="utf-8"))["versions"]
    assert versions["archspec-token-shift"] == "0.1.0"


def test_new_positions_need_the_one_before_so_nothing_is_cached(built: Path) -> None:
    assert "kv" not in (built / "model.py").read_text(encoding="utf-8")


def test_it_is_refused_over_packed_documents(archc: Archc, tmp_path: Path) -> None:
    """A shift would carry the end of one document into the next."""
    text = (Path(__file__).parent / "token_shift" / "spec.yaml").read_text(encoding="utf-8")
    spec = tmp_path / "packed.yaml"
    spec.write_text(text.replace("{max: 64}", "{max: 64, segments: true}"))
    done = archc("check", "packed.yaml", within=tmp_path)
    assert done.returncode == 1
    assert "AR0264" in done.stderr + done.stdout
