"""The words of components: packages are asked for more only where a spec has a word of theirs."""

import pytest

import archspec
from archspec.components.extension import Extensions
from archspec.model import catalog
from tests.shipped import DISTINCT, ROOT

PLAIN = {"name": "plain", "inputs": {"ids": "tokens"}}
EMBED = {"embed": {"vocab": 10, "dim": 8}, "in": "ids"}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[frozenset[str]]:
    """What the words of the language were each time that packages were asked."""
    calls: list[frozenset[str]] = []

    def installed(taken: frozenset[str]) -> Extensions:
        calls.append(taken)
        return Extensions({}, {}, {})

    monkeypatch.setattr(catalog, "installed", installed)
    return calls


def test_own_words_ask_nobody(asked: list[frozenset[str]]) -> None:
    for path in DISTINCT:
        archspec.load(ROOT / path)
    assert asked == []


@pytest.mark.parametrize(
    "graph",
    [
        {"tok": EMBED, "next": {"shift": {}}},
        {"tok": EMBED, "h": {"stack": {"repeat": 1, "layer": {"one": {"shift": {}}}}}},
    ],
)
def test_a_strange_word_asks(graph: dict[str, object], asked: list[frozenset[str]]) -> None:
    found = archspec.read({**PLAIN, "graph": graph})
    assert not isinstance(found, archspec.Spec)
    assert "unknown" in found[0].message
    assert asked
    assert {"mlp", "stack", "in", "norm_at"} <= asked[0]


def test_every_word_is_its_components_own() -> None:
    assert all(kind.word == word for word, kind in catalog.OWN.items())
    assert set(catalog.mixers()) <= set(catalog.COMPONENTS)
    assert set(catalog.JOINING) <= set(catalog.OWN)
    assert not catalog.OWN.keys() & set(catalog.LATER)
