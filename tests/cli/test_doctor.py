"""`archc doctor` sees what gets in the way."""

import json
from importlib import metadata

import pytest

from compiler.cli import health
from tests.cli.conftest import Archc


def test_this_environment_is_well(archc: Archc) -> None:
    said = archc("doctor", "--json")
    signs = {sign["about"]: sign for sign in json.loads(said.out)["signs"]}
    assert said.code == 0
    assert signs["python"]["bad"] is False
    assert "CPU" in signs["onnx providers"]["found"]


def pretend(monkeypatch: pytest.MonkeyPatch, versions: dict[str, str | None]) -> None:
    real = metadata.version

    def version(name: str) -> str:
        found = versions[name] if name in versions else real(name)
        if found is None:
            raise metadata.PackageNotFoundError(name)
        return found

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(metadata, "requires", lambda name: ["pydantic>=2.11", "rich>=14"])


def test_what_may_be_missing_is_nothing_bad(archc: Archc, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, {"tokenizers": None})
    answer = archc("doctor")
    assert answer.code == 0
    assert "none; `archc run` reads no words\n    help: pip install tokenizers\n" in answer.out


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({"archspec": "0.2.5"}, "CPU-detection library archspec 0.2.5"),
        ({"onnxruntime": "1.31.1", "onnxruntime-gpu": "1.31.1"}, "overwrite each other"),
        ({"pydantic": "2.3.0"}, "2.3.0 is too old"),
        ({"rich": None}, "is missing"),
    ],
)
def test_what_gets_in_the_way_is_said(
    versions: dict[str, str | None], said: str, archc: Archc, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, versions)
    answer = archc("doctor")
    assert answer.code == 1
    bad = [line for line in answer.out.splitlines() if line.startswith("bad ")]
    assert len(bad) == 1
    assert said in bad[0]


@pytest.mark.parametrize(
    ("why", "cudnn", "said"),
    [
        ("", True, {"onnx on the gpu": "runs", "cudnn": "found"}),
        ("libcublas.so.13: none", False, {"onnx on the gpu": "libcublas", "cudnn": "is missing"}),
    ],
)
def test_a_device_is_looked_over(
    why: str, cudnn: bool, said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "has_cuda_device", lambda: True)
    monkeypatch.setattr(health, "compute_capability", lambda: (9, 0))
    monkeypatch.setattr(health, "obstacle", lambda: why)
    monkeypatch.setattr(health, "has_cudnn", lambda: cudnn)
    signs = {sign.about: sign for sign in health.examine()}
    assert "9.0" in signs["gpu"].found
    for about, found in said.items():
        assert signs[about].found.startswith(found)
        assert ("onnxruntime-gpu[cuda,cudnn]>=1.31" in signs[about].help) == bool(why)
    assert "torch on the gpu" in signs and not any(sign.bad for sign in signs.values())
