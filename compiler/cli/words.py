"""The language's components and their keys as reading matter, from their own descriptions."""

import difflib
import inspect
import types
from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from archspec.components.catalog import COMPONENTS
from archspec.components.component import Component, written_name
from compiler.answer import CannotAnswer

PLAIN = {"str": "a name", "Sized": "a whole number", "float": "a number", "bool": "true or false"}


def word_text(path: str) -> str:
    """The text of a component (`attention`) or of one of its keys (`attention.rope.theta`)."""
    word, *keys = path.split(".")
    kind = COMPONENTS.get(word)
    if kind is None:
        raise CannotAnswer(f"nothing known about `{path}`", _near(word, COMPONENTS))
    for key in keys[:-1]:
        inner = _inner(_field(kind, key))
        if inner is None:
            raise CannotAnswer(f"`{key}` of `{kind.word}` has no keys of its own")
        kind = inner
    return _key_text(path, _field(kind, keys[-1])) if keys else _component_text(kind)


def _component_text(kind: type[Component]) -> str:
    names = [written_name(kind, name) for name in kind.model_fields]
    width = max(map(len, names), default=0)
    lines = [f"`{kind.word}`: {inspect.getdoc(kind)}", ""]
    for name, field in zip(names, kind.model_fields.values(), strict=True):
        lines.append(f"  {name:<{width}}  {field.description or ''}".rstrip())
    lines += [] if names else ["It has no keys."]
    if kind.later:
        lines += ["", f"of the language but not of this version: {', '.join(sorted(kind.later))}"]
    return "\n".join(lines)


def _key_text(path: str, field: FieldInfo) -> str:
    lines = [f"`{path}`: {field.description or 'no description'}", ""]
    lines.append(f"  takes     {_taken(field.annotation)}")
    lines.append(f"  default   {_said(field)}")
    if field.examples:
        lines.append(f"  examples  {', '.join(map(str, field.examples))}")
    inner = _inner(field)
    if inner is not None:
        lines += ["", _component_text(inner)]
    return "\n".join(lines)


def _field(kind: type[Component], key: str) -> FieldInfo:
    named = {written_name(kind, name): field for name, field in kind.model_fields.items()}
    if key in named:
        return named[key]
    if key in kind.later:
        raise CannotAnswer(f"`{key}` is part of the language but not of this version")
    raise CannotAnswer(f"`{kind.word}` has no key `{key}`", _near(key, named))


def _inner(field: FieldInfo) -> type[Component] | None:
    options = get_args(field.annotation) or (field.annotation,)
    found = (each for each in options if isinstance(each, type) and issubclass(each, Component))
    return next(found, None)


def _said(field: FieldInfo) -> str:
    if field.is_required():
        return "must be written, unless the description says otherwise"
    value = field.get_default(call_default_factory=True)
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, frozenset):
        return "".join(sorted(value)) or "none"
    return str(value)


def _taken(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{word}`" for word in get_args(annotation))
    if isinstance(annotation, types.UnionType) or get_origin(annotation) is not None:
        parts = [_taken(part) for part in get_args(annotation) if part is not type(None)]
        return " or ".join(dict.fromkeys(parts))
    if isinstance(annotation, type) and issubclass(annotation, Component):
        return "a mapping"
    return PLAIN.get(getattr(annotation, "__name__", ""), "see the description")


def _near(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean `{near[0]}`?" if near else "`archc explain CODE|COMPONENT|COMPONENT.KEY`"
