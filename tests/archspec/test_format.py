"""Canonical form: nothing is lost, nothing changes twice."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from archspec.format import format_text
from archspec.source.diagnostic import SpecError

ROOT = Path(__file__).parents[2]
SPECS = sorted(path for path in (ROOT / "specs").glob("*/*.yaml") if path.parent.name != "broken")


def loaded(text: str) -> object:
    """The text by ruamel's own loader, the oracle; keys are always words here."""
    return worded(YAML(typ="safe", pure=True).load(text))


def worded(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): worded(inner) for key, inner in value.items()}
    return [worded(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_our_specs_are_canonical(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert format_text(text) == text


MESSY = """\
# what this is


name:    'messy'   # the name
graph:
    tok:   {embed: {vocab: 100,dim: 16}, in: ids}

    # the layers
    h:
        stack:
            repeat: 2
            layer:  {attn: {attention: {heads: 4, mask: causal, rope: {}, head_dim: WIDE, bias: q}}}
            cycle:
            - {attn.heads: 2} # first
            -   attn.heads: 4
                attn.mask: full
inputs: {ids: "tokens",   # ids
  more: tokens}
about: "LONG"
# the end
"""
TIDY = """\
# yaml-language-server: $schema=https://archspec-compiler.dev/archspec-1.schema.json
# what this is

archspec: 1
name: messy  # the name
about: >-
  LONG
inputs:
  ids: tokens  # ids
  more: tokens
graph:
  tok: {embed: {vocab: 100, dim: 16}, in: ids}

  # the layers
  h:
    stack:
      repeat: 2
      layer:
        attn: {attention: {heads: 4, mask: causal, rope: {}, head_dim: WIDE, bias: q}}
      cycle:
        - {attn.heads: 2}  # first
        - attn.heads: 4
          attn.mask: full
# the end
"""


FOLDED = """\
  A text that is long enough to be folded, and then a word or two more. A text that is long enough
  to be folded, and then a word or two more.
"""


def test_a_messy_spec() -> None:
    messy = MESSY.replace("LONG", " ".join(FOLDED.split())).replace("WIDE", "2*2*2*2*2*2*2*2")
    tidy = TIDY.replace("  LONG\n", FOLDED).replace("WIDE", "2*2*2*2*2*2*2*2")
    assert format_text(messy) == tidy
    assert format_text(tidy) == tidy


def test_a_text_with_anchors_stays_as_it_is() -> None:
    text = "name:   &a x\nabout: *a\n"
    assert format_text(text) == text


def test_what_is_no_yaml_is_refused() -> None:
    with pytest.raises(SpecError) as caught:
        format_text("name: [x\n")
    assert [found.code for found in caught.value.diagnostics] == ["AR0003"]


STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    [
        "none",
        "null",
        "1e-5",
        "0x1f",
        "no",
        "#",
        "a: b",
        "a #b",
        "-",
        "",
        " x ",
        "{{ }}",
        "\n",
        "é\n",
    ]
)
KEYS = st.sampled_from(["name", "about", "x", "h.layer.attn", "0..3", "-1", "a b", "y: z", "größe"])
SCALARS = STRINGS | st.integers(-(10**6), 10**6) | st.booleans()
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, TREES, min_size=1, max_size=4), st.booleans())
def test_no_value_is_lost_and_twice_is_once(document: dict[str, object], flow: bool) -> None:
    text = written(document, flow)
    try:
        before = loaded(text)
    except YAMLError:
        reject()  # ruamel writes some texts, such as `?0`, that it cannot read
    after = format_text(text)
    assert isinstance(before, dict)
    assert loaded(after) == {"archspec": 1, **before}
    assert format_text(after) == after


def written(document: dict[str, object], flow: bool) -> str:
    """In braces as JSON, which is YAML, else in lines by ruamel."""
    if flow:
        return json.dumps(document, ensure_ascii=False)
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    stream = io.StringIO()
    yaml.dump(document, stream)
    return stream.getvalue()
