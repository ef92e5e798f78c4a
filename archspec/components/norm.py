"""Normalisation over the last axis: layer, root-mean-square or Euclidean."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from archspec.components.component import Component, Conflict
from archspec.components.fields import Flag, Positive
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Scalar, Table, Tree, described

KINDS = ("layer", "rms", "l2")
FIXED = {"rms": {"bias": "false"}, "l2": {"bias": "false", "affine": "false"}}


class Norm(Component):
    """`layer`: Ba et al. 2016; `rms`: Zhang & Sennrich 2019; `l2`: unit length, no parameters.

    Written `{layer: 1e-5}`, `{rms: {eps: 1e-6, unit_offset: true}}` or `l2`.
    """

    word: ClassVar[str] = "norm"
    positionwise: ClassVar[bool] = True
    paper: ClassVar[str] = "Ba et al. 2016; Zhang & Sennrich 2019"

    kind: Literal["layer", "rms", "l2"] = Field(description="what is divided by")
    eps: Positive = Field(description="added under the root", examples=[1e-5, 1e-6])
    affine: Flag = Field(True, description="whether a learned gain multiplies the result")
    bias: Flag = Field(True, description="whether a learned bias is added (layer only)")
    unit_offset: Flag = Field(False, description="multiply by 1 + gain, the gain stored around 0")
    multiply: Literal["before_cast", "after_cast"] = Field(
        "before_cast",
        description="multiply by the gain before or after casting back to low precision",
    )

    def conflicts(self) -> Iterator[Conflict]:
        if self.kind == "layer" and self.multiply == "after_cast":
            yield Conflict(
                "AR0108",
                "`multiply: after_cast` does not go with `layer`",
                "multiply",
                "a layer norm scales and shifts before it rounds",
            )
        if self.unit_offset and not self.affine:
            yield Conflict(
                "AR0108",
                "`unit_offset` needs a gain",
                "unit_offset",
                "1 is added to what?",
                (("affine", "no gain here"),),
            )

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        if isinstance(tree, Scalar) and tree.text == "l2":
            tree = Table({"l2": Entry(tree.span, Table({}, tree.span))}, tree.span)
        if not isinstance(tree, Table) or len(tree.entries) != 1 or not kind_of(tree):
            refuse(tree, report)
            return None
        kind, entry = next(iter(tree))
        return unfolded(kind, entry, report)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        rest = {name: value for name, value in fields.items() if name != "kind"}
        fixed = FIXED.get(fields["kind"], {})
        return {fields["kind"]: {name: v for name, v in rest.items() if name not in fixed}}

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        options = {name: schema for name, schema in properties.items() if name != "kind"}
        forms = []
        for kind in KINDS:
            allowed = {k: v for k, v in options.items() if k not in FIXED.get(kind, {})}
            long = {"type": "object", "properties": allowed, "additionalProperties": False}
            if kind != "l2":
                long["required"] = ["eps"]
            forms.append(
                {
                    "type": "object",
                    "properties": {kind: {"anyOf": [properties["eps"], long]}},
                    "required": [kind],
                    "additionalProperties": False,
                }
            )
        return {"anyOf": [*forms, {"const": "l2"}]}


def kind_of(tree: Table) -> str | None:
    return next((kind for kind in KINDS if kind in tree), None)


def refuse(tree: Tree, report: Report) -> None:
    span, label = tree.span, f"this is {described(tree)}"
    if isinstance(tree, Table):
        first = next(iter(tree.entries), "")
        strange = next((name for name in tree.entries if name not in KINDS), None)
        span = tree.key(strange or first)
        label = did_you_mean(strange, KINDS) if strange else "two at once"
        kind = kind_of(tree)
        if kind and strange in Norm.model_fields:
            example = f"write `{{{kind}: {{eps: 1e-5, {strange}: …}}}}`"
            report.error("AR0206", "options of a norm stand beside its eps", span, help=example)
            return
    report.error(
        "AR0206",
        f"`norm` is one of {listed(KINDS)}",
        span,
        label,
        help="write `{layer: 1e-5}` or `{rms: 1e-6}`",
    )


def unfolded(kind: str, entry: Entry, report: Report) -> Table | None:
    """`{layer: 1e-5}` or `{layer: {eps: 1e-5, …}}` as fields."""
    fields = {"kind": Entry(entry.key, Scalar(kind, entry.key))}
    if isinstance(entry.value, Table):
        for name, option in entry.value:
            if name in FIXED.get(kind, {}) or name == "kind":
                report.error("AR0108", f"`{name}` does not go with `{kind}`", option.key)
                return None
            fields[name] = option
    else:
        fields["eps"] = entry
    for name, text in FIXED.get(kind, {}).items():
        fields[name] = Entry(entry.key, Scalar(text, entry.key))
    if kind == "l2":
        fields.setdefault("eps", Entry(entry.key, Scalar("1e-12", entry.key)))
    return Table(fields, entry.value.span)
