"""Where the first state of a recurrence comes from."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from archspec.components.component import Component
from archspec.components.fields import Edge
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean
from archspec.source.tree import Scalar, Table, Tree, described


class RnnInit(Component):
    """`zeros`, or `{from: NAME.final}`: the last states of another recurrence, layer by layer.

    With `project: tanh` a learned map and a tanh stand between (Bahdanau et al. 2015, A.2.2).
    """

    word: ClassVar[str] = "init"
    paper: ClassVar[str] = "Sutskever et al. 2014; Bahdanau et al. 2015"

    from_: Edge | None = Field(
        None, alias="from", description="a final state", examples=["memory.final"]
    )
    project: Literal["tanh"] | None = Field(
        None, description="a learned map with a tanh, to the width of the state"
    )

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        if isinstance(tree, Scalar) and tree.text == "zeros":
            return Table({}, tree.span)
        if isinstance(tree, Table) and set(tree.entries) != {"project"}:
            return tree
        hint = did_you_mean(tree.text, ("zeros",)) if isinstance(tree, Scalar) else ""
        report.error(
            "AR0206",
            "`init` is `zeros` or `{from: NAME.final}`",
            tree.span,
            hint or f"this is {described(tree)}",
        )
        return None

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        return dict(fields) if fields["from"] is not None else "zeros"

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        mapping = {
            "type": "object",
            "properties": properties,
            "required": ["from"],
            "additionalProperties": False,
        }
        return {"anyOf": [{"const": "zeros"}, mapping]}
