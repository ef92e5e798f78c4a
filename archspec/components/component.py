"""What every component has: a word, fields, words for later versions, relations between fields."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from archspec.source.frozen import Frozen
from archspec.source.report import Report
from archspec.source.tree import Table, Tree, described


class Conflict(Frozen):
    """Fields that do not go together; `at` and the keys of `others` are written names of fields,
    dotted where they stand in a component below."""

    code: str
    message: str
    at: str
    label: str
    others: tuple[tuple[str, str], ...] = ()
    help: str = ""


class Component(BaseModel):
    """Frozen, complete and checked; read from a spec by `archspec.components.build.build`."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        populate_by_name=True,
        defer_build=True,
    )

    word: ClassVar[str]
    mixer: ClassVar[bool] = False  # whether it may stand in a sub-layer
    inherits_bias: ClassVar[bool] = False  # whether an unwritten `bias` comes from `defaults`
    positionwise: ClassVar[bool] = False  # whether each position is computed from itself alone
    later: ClassVar[frozenset[str]] = frozenset()  # words of the language without a field yet
    unwritten: ClassVar[frozenset[str]] = frozenset()  # filled by `unfold`, no keys of a spec
    none_says: ClassVar[frozenset[str]] = frozenset()  # fields of which `none` is a value
    paper: ClassVar[str] = ""

    @classmethod
    def definition(cls) -> str:
        """Its name among the definitions of the JSON Schema: the word, where no other has it."""
        return cls.word

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        """The written form as one flat mapping of fields; None after reporting why it is none."""
        if isinstance(tree, Table):
            return tree
        report.error(
            "AR0104",
            f"`{cls.word}` wants a mapping of its settings",
            tree.span,
            f"this is {described(tree)}",
        )
        return None

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        """The inverse of `unfold` on field values by written name, for printing."""
        return dict(fields)

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        """JSON Schema of the written form, given the schemas of the fields by written name."""
        return {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }

    def conflicts(self) -> Iterator[Conflict]:
        """Relations between fields that do not hold."""
        return iter(())


def written_name(kind: type[Component], name: str) -> str:
    """The key that stands in a spec for a field (`from` for `from_`)."""
    return kind.model_fields[name].alias or name
