"""The keys of a component as they are written, and what they hold."""

from functools import cache
from typing import get_args

from archspec.components.component import Component, written_name


@cache
def known(kind: type[Component]) -> dict[str, str]:
    """Written names of a component's fields, with the names in Python."""
    names = (name for name in kind.model_fields if name not in kind.unwritten)
    return {written_name(kind, name): name for name in names}


@cache
def nested(kind: type[Component], field: str) -> tuple[type[Component], ...]:
    """The components that a field holds, when it holds components."""
    annotation = kind.model_fields[field].annotation
    return tuple(
        part
        for part in (annotation, *get_args(annotation))
        if isinstance(part, type) and issubclass(part, Component)
    )


def allowed(kind: type[Component], name: str) -> list[str]:
    """The words that the value of a key may be."""
    annotation = kind.model_fields[known(kind)[name]].annotation
    words: list[str] = []
    for part in (annotation, *get_args(annotation)):
        words += [str(word) for word in get_args(part) if isinstance(word, str)]
    return words or [str(word) for word in get_args(annotation) if isinstance(word, str)]
