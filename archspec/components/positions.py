"""Absolute positions added to a sequence or put beside it: a learned table or sinusoids."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Count, Natural, Part, Positive
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Table, Tree, described

KINDS = ("learned", "sinusoid")
Combine = Literal["add", "concat"]
BESIDE = ("combine", "width")
COMBINE: Any = Field("add", description="`concat` puts positions beside the vector, `width` wide")
WIDTH: Any = Field(None, description="columns of positions beside the vector", examples=[64])


class Learned(Component):
    """A table with a row per position (Gehring et al. 2017)."""

    word: ClassVar[str] = "learned"
    paper: ClassVar[str] = "Gehring et al. 2017"

    size: Count = Field(
        description="positions; the table has `offset` rows more", examples=[512, 1024]
    )
    offset: Natural = Field(0, description="row of position 0", validate_default=True)
    from_: Literal["index", "mask", "nonpad", "segments"] = Field(
        "index",
        alias="from",
        description="count positions by index, over the mask, over ids that are no padding or "
        "within a segment; the id of padding is `offset` - 1, and padding has that row",
    )
    combine: Combine = COMBINE
    width: Count | None = WIDTH

    def conflicts(self) -> Iterator[Conflict]:
        yield from combined(self.combine, self.width)
        if self.from_ == "nonpad" and self.offset == 0:
            yield Conflict(
                "AR0261",
                "`from: nonpad` needs the id of padding",
                "from",
                "which id is it?",
                help="write `offset: pad + 1`: padding has the row of its id, positions follow it",
            )

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        return unfolded(cls, tree, "size", report)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        return folded(cls, fields, "size")

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        size = properties.pop("size")
        return {
            "type": "object",
            "properties": {"learned": size, **properties},
            "required": ["learned"],
            "additionalProperties": False,
        }


class Sinusoid(Component):
    """Fixed sines and cosines of geometric wavelengths (Vaswani et al. 2017, section 3.5)."""

    word: ClassVar[str] = "sinusoid"
    paper: ClassVar[str] = "Vaswani et al. 2017"

    max: Count = Field(description="positions in the table", examples=[512])
    base: Positive = Field(10000.0, description="ratio of the longest wavelength to the shortest")
    layout: Literal["interleaved", "halves"] = Field(
        "interleaved", description="sine and cosine by turns, or all sines before all cosines"
    )
    span: Literal["d", "d-2"] = Field(
        "d",
        description="whether the wavelengths reach `base` one step after the last pair or at it",
    )
    combine: Combine = COMBINE
    width: Count | None = WIDTH

    def conflicts(self) -> Iterator[Conflict]:
        return combined(self.combine, self.width)

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        return unfolded(cls, tree, "max", report)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        beside = {name: value for name, value in fields.items() if name in BESIDE}
        inner = {name: value for name, value in fields.items() if name not in BESIDE}
        return {cls.word: inner, **beside}

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        beside = {name: properties.pop(name) for name in BESIDE}
        inner = {
            "type": "object",
            "properties": properties,
            "required": ["max"],
            "additionalProperties": False,
        }
        return {
            "type": "object",
            "properties": {"sinusoid": inner, **beside},
            "required": ["sinusoid"],
            "additionalProperties": False,
        }


class Positions(Component):
    """Positions as a node of its own, for vectors and features that need order."""

    word: ClassVar[str] = "positions"
    positionwise: ClassVar[bool] = True

    table: Part[Learned | Sinusoid] = Field(description="`{learned: n}` or `{sinusoid: {max: n}}`")

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        return Table({"table": Entry(tree.span, tree)}, tree.span)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        return fields["table"]

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        schema: dict[str, Any] = properties["table"]
        return schema


def combined(combine: str, width: int | None) -> Iterator[Conflict]:
    """Positions beside a vector have a width of their own; added ones have the vector's."""
    if combine == "concat" and width is None:
        yield Conflict(
            "AR0101", "`combine: concat` lacks `width`", "combine", "how many columns beside it?"
        )
    if combine == "add" and width is not None:
        yield Conflict(
            "AR0108",
            "`width` needs `combine: concat`",
            "width",
            "added positions are as wide as the vector",
        )


def unfolded(kind: type[Component], tree: Tree, first: str, report: Report) -> Table | None:
    """`{learned: n, offset: 2}` and `{sinusoid: {max: n}}` as fields, `n` under the key `first`."""
    if not isinstance(tree, Table) or kind.word not in tree:
        label = f"this is {described(tree)}"
        if isinstance(tree, Table) and tree.entries:
            label = did_you_mean(next(iter(tree.entries)), KINDS)
        report.error("AR0206", f"positions are one of {listed(KINDS)}", tree.span, label)
        return None
    if len([word for word in KINDS if word in tree]) > 1:
        report.error("AR0206", f"positions are one of {listed(KINDS)}", tree.key(kind.word), "two")
        return None
    entry = tree.entries[kind.word]
    rest = {name: option for name, option in tree if name != kind.word}
    inner = dict(entry.value.entries) if isinstance(entry.value, Table) else {first: entry}
    if first in rest and first in inner:
        report.error("AR0102", f"unknown key `{first}`", rest[first].key)
        return None
    return Table({**inner, **rest}, tree.span)


def folded(kind: type[Component], fields: Mapping[str, Any], first: str) -> Any:
    rest = {name: value for name, value in fields.items() if name != first}
    return {kind.word: fields[first], **rest}
