"""A config.json as importers read it: by one word each, with class defaults, keeping count."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from archspec.model.stacks import MAX_REPEAT
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from compiler.importers.config.places import Path, Place
from compiler.importers.config.tensors import Tensors
from compiler.importers.config.words import ACTIVATIONS, ALIASES, IGNORED, MEANINGS, OWN

NOTHING: Mapping[str, Any] = {}
LARGEST = 2**40
"""What no size of a model reaches."""

LAYERS = frozenset({"num_hidden_layers", "encoder_layers", "decoder_layers", "num_decoder_layers"})
"""Words for numbers of layers, which importers write one by one: at most those of a stack."""


class Config:
    """One mapping of a config.json; mappings inside it (`text_config`) are configs of their own.

    A word is looked up as it is, then under its aliases, then in the defaults of its model type:
    files hold only what differs from those. A `null` that is written overrules such a default. What
    is asked for counts as read; `unread` are the others that say something.
    """

    def __init__(
        self,
        said: Mapping[str, Any],
        places: Mapping[Path, Place],
        report: Report,
        *,
        defaults: Mapping[str, Any] = NOTHING,
        tensors: Tensors | None = None,
        path: Path = (),
        file: str = "",
    ) -> None:
        self.said = said
        self.defaults = defaults
        self.tensors = tensors or Tensors({})
        self._places, self._report, self._path, self._file = places, report, path, file
        self._read: set[str] = set()
        self._asked: set[str] = set()
        self._inner: dict[str, Config] = {}

    def __contains__(self, word: str) -> bool:
        """Whether the file itself says something under this word; asking does not count as read."""
        return any(self.said.get(key) is not None for key in self._keys(word))

    def get(self, word: str, otherwise: Any = None) -> Any:
        """The value of a word as it is, else its default, else `otherwise`."""
        self._asked.update(self._keys(word))
        keys = [key for key in self._keys(word) if key in self.said]
        found = next((self.said[key] for key in keys if self.said[key] is not None), None)
        self._read.update(key for key in keys if self.said[key] == found)
        if not keys:
            found = self.defaults.get(word)
        return otherwise if found is None else found

    def whole(self, word: str, most: int = LARGEST) -> int:
        """A whole number above zero and at most `most`; 1 after reporting that it is none.

        Of layers there are never more than a stack may have.
        """
        value, most = self.get(word), min(most, MAX_REPEAT) if word in LAYERS else most
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= most:
            return value
        self.refuse(word, f"must be a whole number from 1 to {most}")
        return 1

    def optional(self, word: str) -> int | None:
        """A whole number above zero, or None where there is none or it is `null`."""
        return None if self.get(word) is None else self.whole(word)

    def number(self, word: str, otherwise: float | None = None) -> float:
        """A number; `otherwise` where none is written, and without that it must be."""
        value = self.get(word, otherwise)
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if plain and abs(value) <= LARGEST and isfinite(value):
            return float(value) if isinstance(value, float) else int(value)
        self.refuse(word, "must be a number")
        return 1.0

    def flag(self, word: str, otherwise: bool = False) -> bool:
        """A switch."""
        value = self.get(word, otherwise)
        if isinstance(value, bool):
            return value
        self.refuse(word, "must be `true` or `false`")
        return otherwise

    def activation(self, word: str = "hidden_act", means: Mapping[str, str] = NOTHING) -> str:
        """An activation by our word; `means` are words that this family uses in another sense."""
        return str(self.choice(word, {**ACTIVATIONS, **means}))

    def choice(self, word: str, known: Mapping[str, Any]) -> Any:
        """What the value of a word stands for among the `known`."""
        value = self.get(word)
        if isinstance(value, str) and value in known:
            return known[value]
        there = f"there are {listed(list(known)[:20], 'and')}"
        self.refuse(word, f"`{value}` is not known here", there)
        return next(iter(known.values()))

    def only(self, word: str, wanted: Any, why: str) -> None:
        """Refuse every value of a word but `wanted`, which is also what absence means."""
        if self.get(word, wanted) != wanted:
            self.refuse(word, why)

    def nested(self, word: str, defaults: Mapping[str, Any] = NOTHING) -> "Config":
        """The mapping under a word, empty where there is none; its own keys count one by one."""
        if word not in self._inner:
            value = self.get(word, NOTHING)
            if not isinstance(value, Mapping):
                self.refuse(word, "must be a mapping")
                value = NOTHING
            self._inner[word] = Config(
                value,
                self._places,
                self._report,
                defaults=defaults,
                tensors=self.tensors,
                path=(*self._path, word),
                file=self._file,
            )
        return self._inner[word]

    def ignore(self, *words: str) -> None:
        """Count words as read that say nothing about this family's function."""
        self._read.update(key for word in words for key in self._keys(word))

    def refuse(self, word: str, why: str, help: str = "") -> None:
        """Report a value that cannot be imported (AR0723), or its absence (AR0724)."""
        key = next((key for key in self._keys(word) if key in self.said), None)
        if key is None:
            message = f"`{word}` is missing in this config"
            self._report.error("AR0724", message, self._span(word), why, help=help)
            return
        self._report.error(
            "AR0723", f"`{key}` cannot be imported", self._span(key, value=True), why, help=help
        )

    def warn(self, code: str, message: str, word: str, label: str) -> None:
        """Say something beside the answer, at the place of a word."""
        place = Label(self._span(word), label)
        self._report.diagnostics.append(Diagnostic(code, message, place, severity="warning"))

    def unknown_type(self, help: str) -> None:
        """AR0721: nobody knows this model type."""
        message = f"`{self.said.get('model_type')}` is no model type that can be imported"
        place = self._span("model_type", value=True)
        self._report.error("AR0721", message, place, "unknown here", help=help)

    def report_unread(self) -> None:
        """AR0722 for every key that says something and that nobody asked for."""
        for key in self.unread():
            self._report.error(
                "AR0722",
                f"nothing reads `{key}` of this config",
                self._span(key),
                "it is set, and it may change the model",
                help=self._hint(key),
            )
        for inner in self._inner.values():
            inner.report_unread()

    def unread(self) -> Iterator[str]:
        """Keys with a value that counts which nobody has asked for."""
        for key, value in self.said.items():
            quiet = key in IGNORED or key.startswith("_")
            if value and not quiet and key not in self._read:
                yield key

    def words(self) -> set[str]:
        """What the file says of the architecture, each thing by the word that importers ask for."""
        telling = {key for key, value in self.said.items() if value is not None} - set(IGNORED)
        return {OWN.get(key, key) for key in telling if not key.startswith("_")} - self._read

    def _hint(self, key: str) -> str:
        """What an unread key may mean: a feature, or a word that was asked for and misspelt."""
        if key in MEANINGS:
            return f"it may mean {MEANINGS[key]}"
        meant = did_you_mean(key, sorted(self._asked - self.said.keys()))
        return meant or "where it changes nothing, take it out of a copy of the config"

    def _keys(self, word: str) -> tuple[str, ...]:
        return (word, *ALIASES.get(word, ()))

    def _span(self, key: str, *, value: bool = False) -> Span:
        found = self._places.get((*self._path, key)) or self._places.get(self._path)
        if found is None:
            return Span(self._file, 1, 1, 1, 2)
        return found.value if value and (*self._path, key) in self._places else found.key
