"""One kind of several of a thing: written `{word: {settings}}`."""

from collections.abc import Mapping
from typing import Any

from archspec.components.component import Component


class Kind(Component):
    """Its word says which kind it is, and stands around its settings."""

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        return {cls.word: dict(fields)}

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        inner = super().written_schema(properties, required)
        return super().written_schema({cls.word: inner}, [cls.word])
