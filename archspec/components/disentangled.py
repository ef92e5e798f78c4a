"""Disentangled attention: contents look at distances and distances at contents."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import Field, PlainValidator, WithJsonSchema

from archspec.components.component import Conflict
from archspec.components.fields import Count, Flag, Part
from archspec.components.norm import Norm
from archspec.components.position_bias import PositionBias
from archspec.source.fault import Fault

Term = Literal["c2p", "p2c"]
TERMS: tuple[Term, ...] = get_args(Term)


def terms(value: object) -> tuple[Term, ...]:
    """Some of the terms, in their order. Raises `Fault`."""
    if not isinstance(value, list | tuple) or not value:
        raise Fault("AR0104", "must be a list", "as in `[c2p, p2c]`")
    strange = next((each for each in value if each not in TERMS), None)
    if strange is not None or len(set(value)) != len(value):
        raise Fault("AR0201", "must hold `c2p`, `p2c` or both", f"not {strange or 'one twice'}")
    return tuple(term for term in TERMS if term in value)


Terms = Annotated[
    tuple[Term, ...],
    PlainValidator(terms),
    WithJsonSchema({"type": "array", "items": {"enum": list(TERMS)}}),
]


class Disentangled(PositionBias):
    """Scores of a query with the distance of a key (`c2p`) and of a key with the distance of a
    query (`p2c`), on top of those of query and key (He et al. 2021, eq. 4).

    A stack has one table of distances. All scores are divided by the root of (1 + terms) ·
    head_dim unless `scale` is written.
    """

    word: ClassVar[str] = "disentangled"
    paper: ClassVar[str] = "He et al. 2021"

    terms: Terms = Field(TERMS, description="which scores are added", examples=[["c2p"]])
    buckets: Count | None = Field(
        None,
        description="rows for distances to each side, by logarithm when far (default: one each)",
        examples=[256],
    )
    max_distance: Count = Field(description="from where on all are alike", examples=[512])
    share_projections: Flag = Field(
        True, description="map distances by `q` and `k`, or by maps of their own"
    )
    norm: Part[Norm | None] = Field(None, description="norm of the table's rows")

    @property
    def span(self) -> int:
        """Rows of the table for distances to one side."""
        return self.buckets or self.max_distance

    def conflicts(self) -> Iterator[Conflict]:
        if self.buckets is None:
            return
        if self.buckets < 4 or self.max_distance <= self.buckets // 2 + 1:
            yield Conflict(
                "AR0230",
                "`buckets` must leave room for near and far distances",
                "buckets",
                f"{self.buckets // 2} distances have a row each",
                (("max_distance", f"{self.max_distance} is the farthest"),),
                help="use at least 4 buckets and a `max_distance` above half of them by 2",
            )
