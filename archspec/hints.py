"""What an editor shows of the schema besides descriptions: defaults, and names of alternatives."""

import json
from typing import Any

KINDS = {
    "integer": "whole number",
    "number": "number",
    "boolean": "switch",
    "string": "text",
    "array": "list",
    "object": "mapping",
}


def hinted(part: Any) -> Any:
    """The part of a schema with its defaults told in words and its alternatives titled.

    The yaml-language-server shows descriptions and never defaults. Of alternatives without a title
    it cannot tell which one was written, and shows all of them.
    """
    if isinstance(part, list):
        return [hinted(item) for item in part]
    if not isinstance(part, dict):
        return part
    found = {key: hinted(value) for key, value in part.items()}
    if "anyOf" in found:
        found["anyOf"] = [titled(form) for form in found["anyOf"]]
    said, default = found.get("description"), found.get("default")
    if isinstance(said, str) and default is not None and "default" not in said:
        found["description"] = f"{said} (default: `{shown(default)}`)"
    return found


def titled(form: dict[str, Any]) -> dict[str, Any]:
    """One of several forms, named by what a person would call it."""
    name = form.get("title") or title(form)
    return {"title": name, **form} if name else form


def title(form: dict[str, Any]) -> str | None:
    """The word itself, the one key that a mapping must have, or the kind of value."""
    if "const" in form:
        return str(form["const"])
    if "enum" in form:
        return "word"
    needed = form.get("required", ())
    if form.get("type") == "object" and len(needed) == 1:
        return str(needed[0])
    return KINDS.get(form.get("type", ""))


def shown(default: Any) -> str:
    """A default as YAML has it."""
    return default if isinstance(default, str) else json.dumps(default)
