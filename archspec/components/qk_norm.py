"""Normalisation of queries and keys."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from archspec.components.component import Component
from archspec.components.described import component_schema
from archspec.components.fields import Part
from archspec.components.norm import KINDS, Norm
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Scalar, Table, Tree


class QkNorm(Component):
    """Queries and keys divided by their size before they are compared (Henry et al. 2020).

    Written as a `norm` with where it stands: `{rms: 1e-6, over: head, when: before_rope}`. `head`:
    each head alone, all with the same gain; `per_head`: the same, each with a gain of its own;
    `all`: the whole width before it is split into heads. Queries and keys have weights of their
    own.
    """

    word: ClassVar[str] = "qk_norm"
    paper: ClassVar[str] = "Henry et al. 2020; Dehghani et al. 2023"

    norm: Part[Norm] = Field(description="the norm, written as its kind: `rms: 1e-6`")
    over: Literal["head", "all", "per_head"] = Field(
        "head", description="what is divided: each head, or the whole width before the heads"
    )
    when: Literal["before_rope", "after_rope"] = Field(
        "before_rope", description="before or after rotary positions turn queries and keys"
    )

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        if isinstance(tree, Scalar):
            return Table({"norm": Entry(tree.span, tree)}, tree.span)
        table = super().unfold(tree, report)
        if table is None:
            return None
        if "norm" in table:
            report.error(
                "AR0102",
                "unknown key `norm`",
                table.key("norm"),
                "the kind of the norm stands here itself",
                help="write `{rms: 1e-6, over: head}`",
            )
            return None
        kinds = {name: entry for name, entry in table if name in KINDS}
        rest = {name: entry for name, entry in table if name not in KINDS}
        if not kinds:
            strange = next((name for name in rest if name not in cls.model_fields), "")
            report.error(
                "AR0206",
                f"`qk_norm` needs one of {listed(KINDS)}",
                table.key(strange) if strange else table.span,
                did_you_mean(strange, KINDS) if strange else "no norm here",
                help="write `{rms: 1e-6}`",
            )
            return None
        key = next(iter(kinds.values())).key
        return Table({"norm": Entry(key, Table(kinds, key)), **rest}, table.span)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        return {**fields["norm"], **{n: value for n, value in fields.items() if n != "norm"}}

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        del required
        options = {name: schema for name, schema in properties.items() if name != "norm"}
        mappings = [
            {**form, "properties": {**form["properties"], **options}}
            for form in component_schema(Norm)["anyOf"]
            if "properties" in form
        ]
        return {"anyOf": [*mappings, {"const": "l2"}]}
