"""`archc explain` knows every code, component, key and operator."""

import pytest

from archspec.components.catalog import COMPONENTS
from archspec.components.component import written_name
from archspec.source.codes import CODES
from compiler.cli.operators import operators
from tests.cli.conftest import Archc


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_a_page(code: str, archc: Archc) -> None:
    said = archc("explain", code)
    assert (said.code, said.err) == (0, "")
    assert code in said.out.splitlines()[0]


def test_a_code_may_be_written_shortly(archc: Archc) -> None:
    code = min(CODES)
    assert archc("explain", code.lower()).out == archc("explain", code).out
    assert archc("explain", code.removeprefix("AR")).out == archc("explain", code).out


def test_without_a_topic_all_codes_are_listed(archc: Archc) -> None:
    lines = archc("explain").out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(CODES)


@pytest.mark.parametrize("word", COMPONENTS)
def test_every_component_and_key_has_a_description(word: str, archc: Archc) -> None:
    said = archc("explain", word)
    assert said.code == 0
    for name in COMPONENTS[word].model_fields:
        key = written_name(COMPONENTS[word], name)
        assert f"  {key} " in said.out
        page = archc("explain", f"{word}.{key}").out
        assert page.startswith(f"`{word}.{key}`: ")
        assert "no description" not in page


def test_a_key_of_a_key(archc: Archc) -> None:
    page = archc("explain", "attention.rope.theta").out
    assert "default   10000" in page


@pytest.mark.parametrize("name", operators())
def test_every_operator_has_a_page(name: str, archc: Archc) -> None:
    said = archc("explain", "op", name)
    assert said.code == 0
    assert said.out.startswith(f"{name}  ")
    assert len(said.out.splitlines()) >= 3


@pytest.mark.parametrize(
    ("topic", "help"),
    [
        (["attention.kv_head"], "did you mean `kv_heads`?"),
        (["atention"], "did you mean `attention`?"),
        (["op", "linaer"], "did you mean `linear`?"),
        (["op"], "`archc ops` lists them"),
        (["AR9999"], ""),
        (["a", "b", "c"], ""),
        (["attention.heads.x"], ""),
    ],
)
def test_an_unknown_topic_is_no_answer(topic: list[str], help: str, archc: Archc) -> None:
    said = archc("explain", *topic)
    assert (said.code, said.out) == (2, "")
    assert help in said.err


def test_a_word_of_a_later_version_is_said_to_be_one(archc: Archc) -> None:
    assert "not of this version" in archc("explain", "attention.window").err
