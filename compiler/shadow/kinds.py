"""Element types, their widths and how torch promotes them."""

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Kind:
    """An element type: its width in bytes, and its rank: bool, integer or float."""

    name: str
    size: int
    rank: int

    @property
    def is_floating_point(self) -> bool:
        """Whether gradients can reach it."""
        return self.rank == FLOAT

    def __str__(self) -> str:
        return f"torch.{self.name}"


BOOL, INT, FLOAT = range(3)
KINDS: Final = {
    kind.name: kind
    for kind in (
        Kind("bool", 1, BOOL),
        Kind("int32", 4, INT),
        Kind("int64", 8, INT),
        Kind("float16", 2, FLOAT),
        Kind("bfloat16", 2, FLOAT),
        Kind("float32", 4, FLOAT),
        Kind("float64", 8, FLOAT),
    )
}
FLOAT32: Final = KINDS["float32"]
INT64: Final = KINDS["int64"]
BOOLEAN: Final = KINDS["bool"]


def promoted(operands: "tuple[Any, ...]") -> Kind:
    """The type that torch computes in: tensors with dimensions come before those without, and both
    before Python numbers, unless a later one is of a higher rank."""
    found: Kind | None = None
    for group in _groups(operands):
        best = max(group, key=lambda kind: (kind.rank, kind.size), default=None)
        if best is not None and len({k for k in group if k.rank == best.rank}) > 1:
            best = _wider([k for k in group if k.rank == best.rank])
        if best is not None and (found is None or best.rank > found.rank):
            found = best
    assert found is not None
    return found


def _groups(operands: "tuple[Any, ...]") -> "tuple[list[Kind], list[Kind], list[Kind]]":
    whole = [x.dtype for x in operands if hasattr(x, "dtype") and x.shape]
    points = [x.dtype for x in operands if hasattr(x, "dtype") and not x.shape]
    numbers = [_number(x) for x in operands if not hasattr(x, "dtype")]
    return whole, points, numbers


def _wider(kinds: "list[Kind]") -> Kind:
    names = {kind.name for kind in kinds}
    if names == {"float16", "bfloat16"}:
        return FLOAT32
    return max(kinds, key=lambda kind: kind.size)


def _number(x: Any) -> Kind:
    if isinstance(x, bool):
        return BOOLEAN
    return INT64 if isinstance(x, int) else FLOAT32
