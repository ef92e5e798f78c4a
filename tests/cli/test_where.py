"""From a generated line to the spec's line, by the manifest or by the marks in the file."""

from pathlib import Path

import pytest

from compiler.pipeline.folder import write_folder
from compiler.pipeline.manifest import Mark, Origin
from tests.cli.conftest import Archc

MODEL = "import torch\n\n\n# spec:2 specs/decoder/tiny.yaml\nclass Attention:\n    heads = 4\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "specs" / "decoder" / "tiny.yaml"
    spec.parent.mkdir(parents=True)
    spec.write_text("name: tiny\ngraph:\n  h: {heads: 4}\n")
    origin = Origin("specs/decoder/tiny.yaml", "0" * 64, {})
    with write_folder(Path("generated/decoder/tiny"), origin) as draft:
        marks = [Mark(4, origin.spec, 2), Mark(6, origin.spec, 3)]
        draft.write("model.py", MODEL, marks)
    return tmp_path


def test_the_manifest_knows_lines_between_marks(project: Path, archc: Archc) -> None:
    said = archc("where", "generated/decoder/tiny/model.py:6")
    assert (said.code, said.err) == (0, "")
    assert said.out == "specs/decoder/tiny.yaml:3: h: {heads: 4}\n"


def test_a_copied_file_is_traced_by_its_marks(project: Path, archc: Archc) -> None:
    (project / "copy.py").write_text(MODEL)
    assert archc("where", "copy.py:6").out == "specs/decoder/tiny.yaml:2: graph:\n"


def test_a_spec_that_is_gone_is_named_still(project: Path, archc: Archc) -> None:
    (project / "specs/decoder/tiny.yaml").unlink()
    assert archc("where", "generated/decoder/tiny/model.py:5").out == "specs/decoder/tiny.yaml:2\n"


@pytest.mark.parametrize(
    "place", ["model.py", "nowhere.py:1", "copy.py:1", "copy.py:99", "copy.py:0", "specs:1"]
)
def test_a_place_that_says_nothing_is_no_answer(place: str, project: Path, archc: Archc) -> None:
    (project / "copy.py").write_text(MODEL)
    said = archc("where", place)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("error: ")
