"""The words of components: packages are asked for more only where a spec has a word of theirs."""

from collections.abc import Iterator

import pytest

import archspec
from archspec.components.component import Component
from archspec.components.extension import Extensions
from archspec.components.fields import Built
from archspec.components.keys import nested
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


def kinds_below(kind: type[Component]) -> Iterator[type[Component]]:
    """A component and all that its fields hold."""
    yield kind
    for field in kind.model_fields:
        for part in nested(kind, field):
            yield from kinds_below(part)


@pytest.mark.parametrize("word", catalog.OWN)
def test_what_holds_a_component_does_not_build_it_again(word: str) -> None:
    held = [
        (kind, field)
        for kind in kinds_below(catalog.OWN[word])
        for field, info in kind.model_fields.items()
        if nested(kind, field) and not any(isinstance(each, Built) for each in info.metadata)
    ]
    assert held == []
