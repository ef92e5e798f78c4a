"""The forms of a JSON Schema in words: what may be written, and what holds where nothing is."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

Form = dict[str, Any]

DEFAULT = re.compile(r"\s*\(default: (.*?)\)")
PLAIN = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
    "string": "text",
}
MANY = {"a whole number": "whole numbers", "a number": "numbers"}


class Words(Protocol):
    """Where references lead, and what has a page of its own."""

    @property
    def words(self) -> Mapping[str, Form]: ...

    def whole(self, form: Form) -> Form: ...


def said(form: Form) -> str:
    """What a form is, without its default."""
    return DEFAULT.sub("", str(form.get("description", ""))).strip()


def default(form: Form) -> str:
    """What holds where nothing is written."""
    if form.get("default") is not None:
        return shown(form["default"])
    found = DEFAULT.search(str(form.get("description", "")))
    if found is None:
        return "none"
    return found[1].strip("`") if found[1].count("`") == 2 and " " not in found[1] else found[1]


def shown(value: object) -> str:
    """A value as a spec has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {shown(each)}' for key, each in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def taken(words: Words, form: Form) -> str:
    """The ways to write it; that every number may be an expression goes without saying."""
    *others, last = dict.fromkeys(_ways(words, form)) or ("a mapping",)
    return f"{', '.join(others)} or {last}" if others else last


def _ways(words: Words, form: Form) -> Iterator[str]:
    target = form.get("$ref", "").rpartition("/")[2]
    whole = words.whole(form)
    if target == "expression":
        return
    if target:
        yield _referred(words, target, whole)
    elif "anyOf" in whole:
        for way in whole["anyOf"]:
            yield from _ways(words, way)
    elif "const" in whole:
        yield f"`{whole['const']}`"
    elif "enum" in whole:
        yield from (f"`{word}`" for word in whole["enum"])
    elif "items" in whole:
        yield _list(words, whole)
    elif "pattern" in whole and "qkvo" in whole["pattern"]:
        yield "letters of `qkvo`"
    elif whole.get("type") == "object":
        yield _mapping(words, whole)
    else:
        yield PLAIN.get(whole.get("type", ""), "what the description says")


def _referred(words: Words, target: str, whole: Form) -> str:
    """A form that is defined apart: one with a page, one that a word begins, or neither."""
    if target in words.words:
        return f"what `{target}` takes"
    title = whole.get("title", target)
    keys = whole.get("properties", {})
    return f"`{title}`" if title in keys or not keys else "a mapping of the keys below"


def _list(words: Words, whole: Form) -> str:
    sizes = said(whole)
    if sizes.startswith("["):
        return f"`{sizes}`"
    each = taken(words, whole["items"])
    return f"a list of {MANY.get(each, each)}"


def _mapping(words: Words, whole: Form) -> str:
    keys = list(whole.get("properties", ()))
    if keys:
        return f"`{{{', '.join(f'{key}: …' for key in whole.get('required') or keys[:1])}}}`"
    each = whole.get("additionalProperties")
    under = f" with {taken(words, each)} under each key" if isinstance(each, dict) else ""
    return f"a mapping{under}"
