"""The tree has the values that ruamel constructs, at the places where ruamel finds them."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from archspec.source.compose import compose, value_of
from archspec.source.report import Report
from archspec.source.span import NOWHERE, Span
from archspec.source.tree import Scalar, Sequence, Table, Tree

ROOT = Path(__file__).parents[3]
SPECS = sorted(path for path in (ROOT / "specs").glob("*/*.yaml") if path.parent.name != "broken")


def same(tree: Tree, node: object) -> None:
    """The place of every key and value, by ruamel's own composer."""
    assert isinstance(node, MappingNode | SequenceNode | ScalarNode)
    mark = node.start_mark
    assert (tree.span.line, tree.span.column) == (mark.line + 1, mark.column + 1)
    if isinstance(node, MappingNode):
        assert isinstance(tree, Table)
        for (key, entry), (key_node, value_node) in zip(tree, node.value, strict=True):
            place = key_node.start_mark
            assert key == key_node.value
            assert (entry.key.line, entry.key.column) == (place.line + 1, place.column + 1)
            same(entry.value, value_node)
    elif isinstance(node, SequenceNode):
        assert isinstance(tree, Sequence)
        for item, item_node in zip(tree.items, node.value, strict=True):
            same(item, item_node)
    else:
        assert isinstance(tree, Scalar)
        assert tree.text == node.value


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_every_place_is_ruamels(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    report = Report()
    tree = compose(text, str(path), report)
    assert tree is not None
    assert report.diagnostics == []
    same(tree, YAML(typ="safe", pure=True).compose(text))


@pytest.mark.parametrize(
    "text",
    [
        *("1", "-1", "+7", "007", "0x1f", "0o17", "1.5", "1.", "-1.5e3", "1e-5", "1E5", ".5"),
        *("true", "True", "TRUE", "false", "no", "yes", "on", "off", "y", "null", "~", "Null"),
        *("none", "1.2.3", "12:30", "1e", "0x", "2001-01-01x", "abc", "-", "1,000"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str) -> None:
    expected = YAML(typ="safe", pure=True).load(text if text != "-" else "'-'")
    found = value_of(Scalar(text, NOWHERE))
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("text", ["1_000", "0b1", ".inf", ".nan", "9" * 5000])
def test_what_is_no_number_of_a_spec_is_text(text: str) -> None:
    """Left as text, which no number accepts; ruamel reads these as numbers of YAML 1.1 or float."""
    assert value_of(Scalar(text, NOWHERE)) == text


def test_quotes_make_text() -> None:
    assert value_of(Scalar("12", NOWHERE, plain=False)) == "12"


def test_all_duplicates_are_found() -> None:
    report = Report()
    assert compose("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n", "f", report) is None
    first, second = report.diagnostics
    assert (first.primary.span, first.others[0].span) == (
        Span("f", 3, 1, 3, 2),
        Span("f", 1, 1, 1, 2),
    )
    assert (second.primary.span.line, second.primary.span.column) == (4, 11)


def test_an_alias_is_the_value_it_names() -> None:
    tree = compose("a: &x {b: 1}\nc: *x\n", "", Report())
    assert tree is not None
    assert tree.get("a") == tree.get("c")


def test_a_byte_order_mark_and_windows_line_ends_are_text() -> None:
    tree = compose("a: 1\r\nb: 2\r\n", "", Report())
    assert tree is not None
    assert list(tree.entries) == ["a", "b"]


def test_a_character_in_two_json_escapes_is_one() -> None:
    report = Report()
    tree = compose('about: "\\ud83d\\ude00"\n', "x.yaml", report)
    assert tree is not None
    assert tree.entries["about"].value == Scalar("😀", Span("x.yaml", 1, 8, 1, 22), False)
