"""`archc explain` knows every code, word, key and operator."""

import re

import pytest

from archspec.components.catalog import COMPONENTS
from archspec.source.codes import CODES
from compiler.cli.operators import operators
from compiler.cli.words import known_words
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
    codes, words = archc("explain").out.split("\n\n")
    assert [line.split()[0] for line in codes.splitlines()] == sorted(CODES)
    assert {"attention", "stack", "budget"} <= set(re.findall(r"\w+", words))


@pytest.mark.parametrize("word", known_words())
def test_every_word_has_a_page_and_so_has_each_of_its_keys(word: str, archc: Archc) -> None:
    said = archc("explain", word)
    assert said.code == 0
    assert re.match(rf"`{word}`: \S", said.out)
    for key in re.findall(r"^  (\w+) +\S", said.out, re.MULTILINE):
        if key != "examples":
            page = archc("explain", f"{word}.{key}").out
            assert re.match(rf"`{word}\.{key}`: \S", page)
            assert re.search(r"^  takes     \S", page, re.MULTILINE)


@pytest.mark.parametrize("word", sorted(COMPONENTS))
def test_a_page_names_what_can_be_written_and_nothing_else(word: str, archc: Archc) -> None:
    page = archc("explain", word).out
    assert not any(re.search(rf"\b{name}\b", page) for name in COMPONENTS[word].unwritten)
    assert "None" not in page


@pytest.mark.parametrize(
    ("topic", "lines"),
    [
        ("attention.rope.theta", ["default   10000", "takes     a number or `none`"]),
        ("rope.theta", ["`attention.rope.theta`: "]),
        ("kv_heads", ["`attention.kv_heads`: ", "default   heads"]),
        ("attention.head_dim", ["default   width / heads"]),
        ("norm.eps", ["default   must be written"]),
        ("stack.repeat", ["takes     a whole number\n", "default   must be written"]),
        ("stack.cycle", ["default   none"]),
        ("norm_at", ["defaults.norm_at", "sublayer.norm_at"]),
        ("mlp.act", ["`relu`", "`tanh` or `sigmoid`"]),
        ("inputs.image", ["[C, H, W]"]),
        ("budget", ["kv_bytes@{B: 8, T: 4096}"]),
    ],
)
def test_what_a_key_takes_and_what_holds_without_it(
    topic: str, lines: list[str], archc: Archc
) -> None:
    page = archc("explain", topic).out
    assert [line for line in lines if line not in page] == []


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
        (["op", "rope"], "did you mean `rope_angles`?"),
        (["budget.parameters"], "`budget` has no keys of its own"),
        (["stack.repeats"], "did you mean `repeat`?"),
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
    for topic in ("unembed.adaptive", "adaptive"):
        assert "not of this version" in archc("explain", topic).err
