"""Which projections of an attention are meant: letters of `qkvo`."""

from typing import Annotated

from pydantic import PlainValidator, WithJsonSchema

from archspec.source.fault import Fault

LETTERS = "qkvo"


def letters(value: object) -> frozenset[str]:
    """A set of the letters `qkvo`; `true` is all, `false` and `none` nothing. Raises `Fault`."""
    if isinstance(value, bool):
        return frozenset(LETTERS if value else "")
    if isinstance(value, frozenset):
        return value
    if not isinstance(value, str):
        raise Fault("AR0204", "must be letters of `qkvo`", "as in `qkv`")
    if value == "none":
        return frozenset()
    strange = next((letter for letter in value if letter not in LETTERS), None)
    if strange is not None:
        raise Fault("AR0204", "must be letters of `qkvo`", f"{strange!r} is none of them")
    if len(set(value)) != len(value) or not value:
        raise Fault("AR0204", "must be letters of `qkvo`", "each at most once")
    return frozenset(value)


PATTERN = r"^(?!.*(.).*\1)[qkvo]{1,4}$"
Letters = Annotated[
    frozenset[str],
    PlainValidator(letters),
    WithJsonSchema({"anyOf": [{"type": "string", "pattern": PATTERN}, {"const": "none"}]}),
]
BiasLetters = Annotated[
    frozenset[str],
    PlainValidator(letters),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"type": "string", "pattern": PATTERN}]}),
]
