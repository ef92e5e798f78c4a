"""The forms of a JSON Schema in words: what may be written, and what holds where nothing is."""

import re
from collections.abc import Iterator
from typing import Any, Protocol

Form = dict[str, Any]

DEFAULT = re.compile(r"\s*\(default: (.*?)\)")
PLAIN = {
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
    "string": "text",
}


class Words(Protocol):
    """Where references lead."""

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
        yield f"`{whole.get('title', target)}`"
    elif "anyOf" in whole:
        for way in whole["anyOf"]:
            yield from _ways(words, way)
    elif "const" in whole:
        yield f"`{whole['const']}`"
    elif "enum" in whole:
        yield from (f"`{word}`" for word in whole["enum"])
    elif "items" in whole:
        sizes = said(whole)
        yield f"`{sizes}`" if sizes else f"a list of {taken(words, whole['items'])}"
    elif "pattern" in whole and "qkvo" in whole["pattern"]:
        yield "letters of `qkvo`"
    elif whole.get("type") == "object":
        yield _mapping(words, whole)
    else:
        yield PLAIN.get(whole.get("type", ""), "what the description says")


def _mapping(words: Words, whole: Form) -> str:
    keys = list(whole.get("properties", ()))
    if keys:
        return f"`{{{', '.join(f'{key}: …' for key in whole.get('required') or keys[:1])}}}`"
    each = whole.get("additionalProperties")
    return f"a mapping of names to {taken(words, each)}" if isinstance(each, dict) else "a mapping"
