"""`archc new` writes a template that reads, formats to itself and never replaces a file."""

import json
from pathlib import Path

import pytest

import archspec
from archspec.format import format_text
from compiler.cli.starting import SCHEMA, TEMPLATES, schema_line, template_text
from tests.cli.conftest import Archc

NAMES = sorted(path.stem for path in TEMPLATES.glob("*.yaml"))


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_option_knows_every_template(archc: Archc) -> None:
    page = " ".join(archc("new", "--help").out.split())
    assert all(name in page for name in NAMES)
    assert len(NAMES) == 5


@pytest.mark.parametrize("template", NAMES)
def test_a_template_is_a_valid_spec_in_canonical_form(template: str, archc: Archc) -> None:
    said = archc("new", "specs/mine/tiny-1", "--from", template)
    assert (said.code, said.out) == (0, "specs/mine/tiny-1.yaml\n")
    spec = archspec.load(Path("specs/mine/tiny-1.yaml"))
    assert spec.name == "tiny-1"
    text = Path("specs/mine/tiny-1.yaml").read_text()
    assert format_text(text) == text
    schema = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    assert Path(schema) == Path(archspec.__file__).with_name("archspec.schema.json")


def test_inside_a_clone_the_schema_is_named_from_the_spec() -> None:
    spec = SCHEMA.parents[1] / "specs" / "decoder" / "tiny.yaml"
    assert schema_line(spec).endswith("$schema=../../archspec/archspec.schema.json\n")


def test_a_schema_that_a_project_keeps_is_named_from_the_spec(archc: Archc) -> None:
    Path("archspec.schema.json").write_text(archc("schema").out)
    archc("new", "specs/mine/tiny")
    first = Path("specs/mine/tiny.yaml").read_text().splitlines()[0]
    assert first == "# yaml-language-server: $schema=../../archspec.schema.json"


def test_comments_explain_each_template() -> None:
    for name in NAMES:
        lines = template_text(name).splitlines()
        assert sum(line.lstrip().startswith("#") for line in lines) >= 3


def test_a_file_is_never_replaced(archc: Archc) -> None:
    Path("tiny.yaml").write_text("mine")
    said = archc("new", "tiny")
    assert said.code == 2
    assert said.err.startswith("error: `tiny.yaml` exists\n")
    assert Path("tiny.yaml").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "a b", "1st", "x/..", "a\nb", "é", "-x", "n" * 65])
def test_a_name_that_cannot_name_a_model_is_refused(name: str, archc: Archc) -> None:
    said = archc("new", "--", name)
    assert said.code == 2
    assert list(Path().iterdir()) == []


def test_json_names_the_file(archc: Archc) -> None:
    document = json.loads(archc("new", "tiny", "--from", "vit", "--json").out)
    assert (document["path"], document["template"]) == ("tiny.yaml", "vit")
