"""`archc doctor` sees what gets in the way."""

import json
from importlib import metadata

import pytest

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
