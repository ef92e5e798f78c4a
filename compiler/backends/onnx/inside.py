"""What `GroupQueryAttention` does itself: turns, and taking the product for all three apart."""

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Final

from archspec.source.frozen import Frozen

if TYPE_CHECKING:
    from compiler.backends.onnx.sheet import Sheet

NONE: Final = (None, None)


class Turned(Frozen):
    """A value [B, T, N·K] that is another one with its heads turned by their places.

    Attributes:
        x: the other one.
        tables: cosines and sines of every place.
        adjacent: whether neighbouring coordinates turn together, else halves.
        gain: what all coordinates are multiplied with besides.
    """

    x: str
    tables: tuple[str, str]
    adjacent: bool
    gain: float


class Inside(Frozen):
    """What the node is given.

    Attributes:
        given: queries, keys and values, or what the three are parts of.
        tables: cosines and sines of every place; None for both where nothing is turned.
        options: what the node is told.
        gain: what queries and keys must be multiplied with besides.
    """

    given: tuple[str | None, ...]
    tables: tuple[str | None, str | None] = NONE
    options: Mapping[str, int] = field(default_factory=dict)
    gain: float = 1.0


def inside(sheet: "Sheet", q: str, k: str, v: str, *, turning: bool) -> Inside:
    """How the node is given queries, keys and values: before they are turned, if it may do that
    and turns both alike, and as one value where they are the parts of one."""
    one, other = sheet.turned.get(q), sheet.turned.get(k)
    turns = one if turning and one and other and _how(one) == _how(other) else None
    if turns is None or other is None:
        return Inside(_as_one(sheet, q, k, v))
    options = {"do_rotary": 1, **({"rotary_interleaved": 1} if turns.adjacent else {})}
    given = _as_one(sheet, turns.x, other.x, v)
    return Inside(given, turns.tables, options, turns.gain)


def _how(found: Turned) -> tuple[object, ...]:
    return found.tables, found.adjacent, found.gain


def _as_one(sheet: "Sheet", *parts: str) -> tuple[str | None, ...]:
    """The value that all of these are the parts of, in order, else themselves."""
    maker = sheet.maker(parts[0])
    if maker is None or maker.kind != "Split" or maker.outputs != parts:
        return parts
    return maker.inputs[0], None, None
