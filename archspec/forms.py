"""Forms that recur in the schema of the language: text, names, closed and named mappings."""

from typing import Any

from archspec.components.described import NONE, Schema

NAME = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"


def reference(word: str, said: str) -> Schema:
    return {"anyOf": [{"$ref": f"#/$defs/{word}"}, NONE], "description": said}


def text(said: str, **limits: int) -> Schema:
    return {"type": "string", "description": said, **limits}


def names(said: str) -> Schema:
    one = {"type": "string"}
    return {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}], "description": said}


def named(value: Schema, said: str) -> Schema:
    return {
        "type": "object",
        "description": said,
        "propertyNames": {"pattern": NAME},
        "additionalProperties": value,
    }


def closed(properties: Schema, said: str, required: list[str] | None = None) -> Schema:
    schema: dict[str, Any] = {
        "type": "object",
        "description": said,
        "properties": properties,
        "additionalProperties": False,
    }
    return {**schema, "required": required} if required else schema
