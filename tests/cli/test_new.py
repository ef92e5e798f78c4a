"""`archc new` writes a template that reads, formats to itself and never replaces a file."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

import archspec
from archspec.format import format_text
from archspec.model.spec import Spec
from compiler.cli.presets import FAMILIES, PACKAGE, presets
from compiler.cli.starting import SCHEMA, TEMPLATES, schema_line, template_text
from compiler.ir.text import program_text
from compiler.pipeline.passes import lowered
from tests.cli.conftest import Archc

NAMES = sorted(path.stem for path in TEMPLATES.glob("*.yaml"))


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_option_knows_every_template(archc: Archc) -> None:
    page = archc("new", "--list").out
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


@pytest.mark.parametrize("model", ["qwen2.5-3b", "gpt2", "vit-l16"])
def test_a_released_model_is_written_with_what_it_extends(model: str, archc: Archc) -> None:
    assert archc("new", "mine", "--from", model).code == 0
    text = Path("mine.yaml").read_text()
    assert "extends" not in text
    assert text.count("yaml-language-server") == 1
    assert format_text(text) == text
    mine, released = archspec.load(Path("mine.yaml")), archspec.load(presets()[model])
    assert mine.name == "mine"
    assert graph_text(mine) == graph_text(released)


def graph_text(spec: Spec) -> str:
    """The operators of a spec, whatever it is called and wherever they are written."""
    return re.sub(r" @\S+", "", program_text(replace(lowered(spec), name="")))


def test_what_there_is_to_start_from_is_listed(archc: Archc) -> None:
    said = archc("new", "--list").out
    assert all(f"{name} " in said for name in (*NAMES, *presets()))
    origins = json.loads(archc("new", "--list", "--json").out)["origins"]
    assert origins["gpt2-xl"].startswith("GPT-2")
    sourceless = [name for name, about in origins.items() if not re.search(r"\(.*\d{4}", about)]
    assert sourceless == []


def test_an_installation_has_every_family() -> None:
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert shipped == {f"specs/{name}": f"archspec/presets/{name}" for name in FAMILIES}


def test_an_unknown_origin_is_told_the_nearest(archc: Archc) -> None:
    said = archc("new", "mine", "--from", "lama3-8b")
    assert said.code == 2
    assert "llama3-8b" in said.err
    assert not Path("mine.yaml").exists()
