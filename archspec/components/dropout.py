"""Dropout as a node of its own."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from archspec.components.component import Component
from archspec.components.fields import Rate
from archspec.source.report import Report
from archspec.source.tree import Entry, Table, Tree


class Dropout(Component):
    """Srivastava et al. 2014; written `{dropout: 0.1}`."""

    word: ClassVar[str] = "dropout"
    positionwise: ClassVar[bool] = True
    paper: ClassVar[str] = "Srivastava et al. 2014"

    rate: Rate = Field(description="share of elements set to zero in training", examples=[0.1])

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        if isinstance(tree, Table):
            return tree
        return Table({"rate": Entry(tree.span, tree)}, tree.span)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        return fields["rate"]

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        schema: dict[str, Any] = properties["rate"]
        return schema
