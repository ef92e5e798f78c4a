"""A position bias that is made once, from positions alone, for all layers that share it."""

from typing import TypeAlias

from archspec.components.norm import Norm
from archspec.source.frozen import Frozen
from compiler.ir.types import TensorType
from compiler.lower.sight import Sight
from compiler.ops import (
    Alibi,
    BucketBias,
    DistanceBuckets,
    DistanceRows,
    DistanceTable,
    GridOffsets,
)

Places: TypeAlias = Alibi | DistanceBuckets | DistanceRows | GridOffsets


class Bias(Frozen):
    """What is added to the scores of queries with the positions of the model input `query`.

    `places` is a bias, or the rows of a table for every query and key. `table` picks them and
    belongs to the stack `stack`; without it they are picked where they are needed. `sight` says
    what is hidden besides, by a mask of the type `seen`.
    """

    query: str
    places: Places
    table: BucketBias | None = None
    stack: str = ""
    sight: Sight | None = None
    seen: TensorType | None = None


class Rows(Frozen):
    """The vectors of all distances that the layers of `stack` share, after a norm where there is
    one."""

    stack: str
    table: DistanceTable
    norm: Norm | None
