"""Functions and small classes that operators put beside the model's classes."""

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from compiler.ir.letters import Letters

SUFFIX: Final = re.compile(r"(?<=[a-z0-9]_)[A-Z0-9]+\b")
LENGTH: Final = re.compile(r"\b([A-Z])(?=: int\b)")


@dataclass
class Functions:
    """Their sources by name, in the order of first use, and what the letters in them stand for.

    A name that another text or one of the model's classes has gets a number.
    """

    classes: frozenset[str] = frozenset()
    sources: dict[str, str] = field(default_factory=dict)
    stands: dict[str, dict[str, set[str]]] = field(default_factory=dict)

    def add(self, name: str, source: str, sizes: Mapping[str, str]) -> str:
        """Keep a function once; returns the name it goes by.

        `sizes` are this use's sizes for letters of the source.
        """
        count = 1
        while True:
            wish = name if count == 1 else f"{name}_{count}"
            text = source.replace("{name}", wish).strip("\n")
            if wish not in self.classes and self.sources.setdefault(wish, text) == text:
                break
            count += 1
        known = self.stands.setdefault(wish, {})
        for letter in letters(text):
            known.setdefault(letter, set()).add(sizes.get(letter, letter))
        return wish

    def texts(self, key: Letters) -> list[str]:
        """The sources as they are printed: where a letter is another size's constant, a use's own
        letter stands there, or one that no size has where uses differ."""
        return [
            _with_letters(source, _truthful(self.stands[name], key))
            for name, source in self.sources.items()
        ]


def letters(source: str) -> set[str]:
    """The dimension letters that end names in a source, and its lengths."""
    found = {mark for ending in SUFFIX.findall(source) for mark in ending if mark.isalpha()}
    return found | set(LENGTH.findall(source))


def _truthful(stands: Mapping[str, set[str]], key: Letters) -> dict[str, str]:
    """What each letter that would lie is replaced by."""
    lies = {mark: sizes for mark, sizes in stands.items() if mark in key.sizes and sizes != {mark}}
    taken = {*key.key, *stands}
    spare = iter([mark for mark in reversed(string.ascii_uppercase) if mark not in taken])
    found: dict[str, str] = {}
    for mark, sizes in lies.items():
        own = next(iter(sizes)) if len(sizes) == 1 else ""
        fits = len(own) == 1 and own.isalpha() and own not in stands
        found[mark] = own if fits else next(spare, mark)
    return found


def _with_letters(source: str, put: Mapping[str, str]) -> str:
    if not put:
        return source
    for mark in LENGTH.findall(source):
        source = re.sub(rf"\b{mark}\b", put.get(mark, mark), source)
    return SUFFIX.sub(lambda found: "".join(put.get(mark, mark) for mark in found[0]), source)
