"""The schema in the real yaml-language-server: errors on their line, completion, hover."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.archspec.language_server import LanguageServer

ROOT = Path(__file__).parents[2]
SPECS = sorted(path for path in (ROOT / "specs").glob("*/*.yaml") if path.parent.name != "broken")
WRONG = """\
name: wrong
inputs: {ids: tokens}
graph:
  tok: {embed: {vocab: 100, dim: 4*d_model}, in: ids}
  h:
    stack:
      repeat: 2
      layer:
        attn: {attention: {heads: 4, kv_head: 2}}
        mlp: {mlp: {hidden: 64, act: glu}}
        more:
          mlp:
            hidden: 64
            
outpts: [h]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[LanguageServer]:
    server = LanguageServer(ROOT / "archspec" / "archspec.schema.json")
    yield server
    server.close()


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_our_specs_are_without_errors(path: Path, server: LanguageServer) -> None:
    assert server.open(path.stem, path.read_text()) == []


def test_errors_stand_on_their_lines(server: LanguageServer) -> None:
    found = server.open("wrong", WRONG)
    lines = {item["range"]["start"]["line"]: item["message"] for item in found}
    assert "kv_head" in lines[9]
    assert "gelu" in lines[10]
    assert "act" in lines[12]
    assert "outpts" in lines[15]
    assert set(lines) == {9, 10, 12, 15}


def test_completion_offers_the_keys_of_the_component(server: LanguageServer) -> None:
    server.open("completed", WRONG)
    offered = server.at("completion", "completed", 14, 12)
    labels = {item["label"] for item in offered["items"]}
    assert {"act", "gated", "bias"} <= labels
    assert "kv_heads" not in labels


def test_hover_describes_a_key(server: LanguageServer) -> None:
    server.open("hovered", WRONG)
    assert "query heads" in server.at("hover", "hovered", 9, 28)["contents"]["value"]
    assert "how many layers" in server.at("hover", "hovered", 7, 8)["contents"]["value"]
