"""JSON Schema of components as they are written in a spec."""

from collections.abc import Iterable
from typing import Any

from archspec.components.component import Component
from archspec.components.keys import known, nested

Schema = dict[str, Any]
NONE: Schema = {"const": "none"}


def component_schema(kind: type[Component]) -> Schema:
    """The written form of one component, with descriptions, defaults and examples."""
    raw = kind.model_json_schema(by_alias=True)["properties"]
    properties = {
        name: field_schema(kind, name, field, raw[name]) for name, field in known(kind).items()
    }
    required = [
        name for name, field in known(kind).items() if kind.model_fields[field].is_required()
    ]
    written = kind.written_schema(properties, required)
    doc = (kind.__doc__ or "").strip().split("\n\n")[0]
    return {**written, "description": " ".join(doc.split())}


def with_parts(kinds: Iterable[type[Component]]) -> dict[str, type[Component]]:
    """Components by the names of their definitions, each before those that its fields hold."""
    found: dict[str, type[Component]] = {}
    waiting = list(kinds)
    for kind in waiting:
        found.setdefault(kind.definition(), kind)
        for field in known(kind).values():
            waiting += [part for part in nested(kind, field) if part.definition() not in found]
    return found


def field_schema(kind: type[Component], name: str, field: str, raw: Schema) -> Schema:
    info = kind.model_fields[field]
    inner = nested(kind, field)
    references: list[Schema] = [{"$ref": f"#/$defs/{part.definition()}"} for part in inner]
    forms = references or alternatives(raw)
    if not info.is_required() and name not in kind.none_says:
        forms = [*forms, NONE]
    schema: Schema = forms[0] if len(forms) == 1 else {"anyOf": forms}
    said: Schema = {"description": info.description or name}
    default = raw.get("default")
    if default is not None and default != []:
        said["default"] = default[0] if isinstance(default, list) else default
    if raw.get("examples"):
        said["examples"] = raw["examples"]
    return {**schema, **said}


def alternatives(raw: Schema) -> list[Schema]:
    """The forms of a field, flat and without pydantic's titles and nulls."""
    if "anyOf" in raw:
        found = [form for part in raw["anyOf"] for form in alternatives(part)]
        return [form for form in found if form != {"type": "null"}]
    skip = ("title", "default", "description", "examples")
    return [{key: value for key, value in raw.items() if key not in skip}]
