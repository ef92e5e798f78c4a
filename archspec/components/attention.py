"""Dot-product attention: heads, what they look at, what they may see, how they are projected."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, WithJsonSchema, model_validator

from archspec.components.alibi import Alibi
from archspec.components.attention_conflicts import conflicts
from archspec.components.component import Component, Conflict
from archspec.components.disentangled import Disentangled
from archspec.components.fields import Count, Edge, Flag, Part, Positive
from archspec.components.grid_bias import GridBias
from archspec.components.latent import Latent
from archspec.components.letters import LETTERS, BiasLetters, Letters
from archspec.components.qk_norm import QkNorm
from archspec.components.rope import Rope
from archspec.components.t5_bias import T5Bias
from archspec.components.temperature import Temperature
from archspec.source.compose import value_of
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.tree import Entry, Scalar, Table, Tree

Mask = Annotated[
    Literal["full", "causal", "edge"],
    WithJsonSchema({"anyOf": [{"enum": ["full", "causal"]}, {"type": "string"}]}),
]


class Attention(Component):
    """A mean of what other positions hold, weighted by likeness, in heads (Vaswani et al. 2017).

    Grouped queries: Ainslie et al. 2023.

    Unless they are written, `kv_heads` is `heads`, `head_dim` is width / `heads` and `value_dim` is
    `head_dim`. Without `o` the output is `heads` * `value_dim` wide.
    """

    word: ClassVar[str] = "attention"
    mixer: ClassVar[bool] = True
    inherits_bias: ClassVar[bool] = True
    none_says: ClassVar[frozenset[str]] = frozenset({"projections"})
    unwritten: ClassVar[frozenset[str]] = frozenset({"mask_edge"})
    paper: ClassVar[str] = "Vaswani et al. 2017; Ainslie et al. 2023"

    heads: Count = Field(description="query heads", examples=[12, 32])
    kv_heads: Count = Field(
        Sized(1),
        description="key and value heads (default: `heads`)",
        examples=[8],
        json_schema_extra={"default": "heads"},
    )
    head_dim: Count | None = Field(
        None, description="width of a query or key head (default: width / heads)", examples=[128]
    )
    value_dim: Count | None = Field(None, description="width of a value head (default: `head_dim`)")
    source: Edge = Field(
        "self", description="node or input that keys and values come from", examples=["memory"]
    )
    score: Literal["scaled_dot", "dot", "additive"] = Field(
        "scaled_dot",
        description="`scaled_dot` multiplies q·k by `scale`, `dot` by nothing; `additive` is "
        "w·tanh(q + k)",
    )
    mask: Mask = Field(
        "full",
        description="who sees whom: `full`, `causal` or the name of a `mask` input",
        examples=["full", "causal"],
    )
    mask_edge: Edge | None = Field(None, description="the `mask` input when `mask` is `edge`")
    window: Count | None = Field(
        None,
        description="causal: the latest positions that a query sees, its own one of them; "
        "else how far it sees to each side",
        examples=[4096],
    )
    chunk: Count | None = Field(
        None,
        description="cut the sequence into pieces of so many positions, blind to each other",
        examples=[8192],
    )
    prefix: Edge | None = Field(
        None,
        description="a `count` input: so many first positions of each row are seen by all",
        examples=["given"],
    )
    segments: Flag = Field(
        True, description="obey the `segments` of the input: packed documents do not see each other"
    )
    scale: Positive | None = Field(
        None, description="factor on the scores (default: head_dim ** -0.5)", examples=[0.125]
    )
    projections: Letters = Field(
        frozenset(LETTERS),
        description="which of q, k, v, o are linear maps; `none`: attention on the raw inputs",
        json_schema_extra={"default": LETTERS},
    )
    bias: BiasLetters = Field(
        frozenset(),
        description="which projections have a bias (default: `defaults.bias`)",
        json_schema_extra={"default": False},
    )
    clip_qkv: Positive | None = Field(
        None, description="hold queries, keys and values within ± so much", examples=[8]
    )
    softcap: Positive | None = Field(
        None, description="hold scores s within ± a cap c: c * tanh(s / c)", examples=[50]
    )
    sink: Flag = Field(False, description="a learned score a head that takes a share of each row")
    gate: Flag = Field(
        False, description="multiply the heads by the sigmoid of a linear map of the input"
    )
    qk_norm: Part[QkNorm | None] = Field(None, description="a norm on queries and keys")
    temperature: Part[Temperature | None] = Field(
        None, description="a factor on queries that grows with their position"
    )
    latent: Part[Latent | None] = Field(
        None, description="keys and values of all heads from one short vector a position"
    )
    rope: Part[Rope | None] = Field(None, description="rotary positions on queries and keys")
    position_bias: Part[Alibi | T5Bias | GridBias | Disentangled | None] = Field(
        None,
        description="what distances add to the scores: `alibi`, `t5`, `grid` or `disentangled`",
    )

    @model_validator(mode="before")
    @classmethod
    def complete(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        filled = dict(data)
        if "heads" in data:
            filled.setdefault("kv_heads", data["heads"])
        if data.get("bias") is True and "projections" in data:
            filled["bias"] = data["projections"]
        return filled

    @classmethod
    def unfold(cls, tree: Tree, report: Report) -> Table | None:
        table = super().unfold(tree, report)
        entry = table.entries.get("mask") if table else None
        if table is None or entry is None or not isinstance(entry.value, Scalar):
            return table
        if entry.value.text in ("full", "causal") or value_of(entry.value) != entry.value.text:
            return table
        edge = Scalar("edge", entry.value.span)
        return table.put("mask", Entry(entry.key, edge)).put("mask_edge", entry)

    @classmethod
    def fold(cls, fields: Mapping[str, Any]) -> Any:
        folded = {name: value for name, value in fields.items() if name != "mask_edge"}
        if fields["mask"] == "edge":
            folded["mask"] = fields["mask_edge"]
        return folded

    def conflicts(self) -> Iterator[Conflict]:
        return conflicts(self)
