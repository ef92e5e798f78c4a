"""One vector from a sequence."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.attention_pool import AttentionPool
from archspec.components.component import Component
from archspec.components.fields import Edge, Index, Natural, Part, numeric, whole
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Scalar, Table, Tree, described

WORDS = ("first", "last", "mean")
FORMS: dict[str, tuple[str, ...]] = {"index": (), "mean": ("skip",), "eos": ("ids", "token")}


KNOWN = (*dict.fromkeys((*WORDS, *FORMS)), "attention")


def token(value: object) -> Sized | str:
    return "max_id" if value == "max_id" else whole(value, 0, 2**31)


Token = Annotated[
    Sized | str,
    PlainValidator(token),
    WithJsonSchema({"anyOf": [{"const": "max_id"}, *numeric("integer", minimum=0)["anyOf"]]}),
]


class Pool(Component):
    """[B, T, D] to [B, D], obeying the padding mask that travels with the sequence.

    Written `first`, `last`, `mean`, `{index: i}`, `{mean: {skip: n}}` (without the first n) or
    `{eos: {ids: edge, token: id}}` (where the id stands first; `max_id`: where the largest is) or
    `{attention: {heads: n}}` (what a learned query finds).
    """

    word: ClassVar[str] = "pool"

    kind: Literal["first", "index", "last", "mean", "eos", "attention"] = Field(
        description="which vector"
    )
    index: Index = Field(
        0,
        description="position, negative from the end of what is no padding",
        validate_default=True,
    )
    skip: Natural = Field(0, description="positions the mean leaves out", validate_default=True)
    ids: Edge | None = Field(None, description="input with the ids to look for `token` in")
    token: Token | None = Field(None, description="id of the token to take, or `max_id`")

    attention: Part[AttentionPool | None] = Field(None, description="a learned query and its heads")

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        if isinstance(tree, Scalar) and tree.text in WORDS:
            return Table({"kind": Entry(tree.span, tree)}, tree.span)
        if not isinstance(tree, Table) or len(tree.entries) != 1:
            report.error(
                "AR0206",
                f"`pool` is one of {listed(KNOWN)}",
                tree.span,
                did_you_mean(tree.text, WORDS) if isinstance(tree, Scalar) else described(tree),
            )
            return None
        kind, entry = next(iter(tree))
        if kind not in FORMS and kind != "attention":
            refuse(kind, entry, report)
            return None
        return unfolded(kind, entry, report)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        kind = fields["kind"]
        if kind == "index":
            return {"index": fields["index"]}
        if kind == "attention":
            return {kind: fields[kind]}
        if kind not in FORMS:
            return kind
        return {kind: {name: fields[name] for name in FORMS[kind]}}

    @classmethod
    def written_schema(cls, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
        forms: list[dict[str, Any]] = [{"enum": list(WORDS)}]
        for kind, names in FORMS.items():
            inner: dict[str, Any] = {
                "type": "object",
                "properties": {name: properties[name] for name in names},
                "required": list(names),
                "additionalProperties": False,
            }
            one = {kind: inner if names else properties["index"]}
            forms.append(
                {
                    "type": "object",
                    "properties": one,
                    "required": [kind],
                    "additionalProperties": False,
                }
            )
        asking = {
            "type": "object",
            "properties": {"attention": properties["attention"]},
            "required": ["attention"],
            "additionalProperties": False,
        }
        return {"anyOf": [*forms, asking]}


def refuse(kind: str, entry: Entry, report: Report) -> None:
    report.error(
        "AR0206", f"`pool` is one of {listed(KNOWN)}", entry.key, did_you_mean(kind, KNOWN)
    )


def unfolded(kind: str, entry: Entry, report: Report) -> Table | None:
    fields = {"kind": Entry(entry.key, Scalar(kind, entry.key))}
    if kind in ("index", "attention"):
        return Table({**fields, kind: entry}, entry.value.span)
    if not isinstance(entry.value, Table):
        wanted = listed(FORMS[kind], "and")
        report.error("AR0104", f"`{kind}` wants a mapping with {wanted}", entry.value.span)
        return None
    for name, option in entry.value:
        if name not in FORMS[kind]:
            hint = did_you_mean(name, FORMS[kind])
            report.error("AR0102", f"unknown key `{name}`", option.key, hint)
            return None
    absent = [name for name in FORMS[kind] if name not in entry.value]
    if absent and kind == "eos":
        report.error("AR0101", f"`eos` lacks {listed(absent, 'and')}", entry.key, "required here")
        return None
    return Table({**fields, **entry.value.entries}, entry.value.span)
