"""Pieces of a spec as importers write them: plain mappings in a person's order."""

from typing import Any, TypeAlias

Written: TypeAlias = dict[str, Any]
"""A mapping of a spec: words to numbers, texts, switches, lists and further mappings."""


def said(**words: Any) -> Written:
    """The words that have a value; what is None is left to the language's own default."""
    return {word: value for word, value in words.items() if value is not None}
