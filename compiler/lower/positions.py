"""Absolute positions added to a sequence or put beside it: a learned table or sinusoids."""

from archspec.components.positions import Learned
from archspec.components.positions import Sinusoid as Waves
from compiler.ir.graph import Value
from compiler.ir.size import constant
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Need, Scope, fixed
from compiler.ops import (
    Add,
    AddRows,
    Concat,
    ConcatRows,
    LearnedPositions,
    PlacedPositions,
    PlacedSinusoid,
    Sinusoid,
)


def positions(
    scope: Scope, component: Learned | Waves, x: Value, edge: str, cached: bool, draws: Draws
) -> Value:
    """`x` plus a vector for each place, or beside it; a decoder counts from the positions it has
    seen.

    `edge` is the model input whose places they are; they begin anew with every document that it
    packs.
    """
    rows = _rows(scope, component, x, edge, cached, draws)
    if component.combine == "add":
        return scope.op("placed", AddRows() if _shared(scope, rows) else Add(), x, rows)
    assert component.width is not None
    wide = scope.letters.fixed("width", scope.width(x) + component.width)
    if _shared(scope, rows):
        return scope.op("placed", ConcatRows(wide), x, rows)
    return scope.op("placed", Concat(wide), x, rows)


def _shared(scope: Scope, rows: Value) -> bool:
    """Whether all rows of a batch have the same places."""
    return len(scope.type(rows).shape) == 2


def _rows(
    scope: Scope, component: Learned | Waves, x: Value, edge: str, cached: bool, draws: Draws
) -> Value:
    width = scope.type(x).shape[-1]
    if component.width is not None:
        width = scope.letters.fixed("width", component.width, component.width.said)
    place = _place(scope, x, edge)
    pos = scope.need(Need("pos"), TensorType("int", ()), "pos") if cached and not place else None
    if isinstance(component, Waves):
        wide = fixed(scope.letters.fix(width))
        if wide % 2:
            scope.reject("AR0304", "sinusoids come in pairs", f"the width {wide} is odd")
        if wide == 2 and component.span == "d-2":
            scope.reject("AR0304", "`span: d-2` needs two pairs of sinusoids", "one pair is here")
        settings = (width, component.base, component.layout, component.span == "d-2")
        if place is not None:
            return scope.op("places", PlacedSinusoid(*settings), x, place)
        return scope.op("places", Sinusoid(*settings), x, pos)
    if component.from_ not in ("index", "segments"):
        scope.reject(
            "AR0390",
            f"`from: {component.from_}` is part of the language but not of this version",
            "not yet",
        )
    size = component.size + component.offset
    if place is not None:
        rows = scope.letters.fixed("table", size, component.size.said)
        table = PlacedPositions(rows, width, component.offset, draws.table())
        return scope.op("positions", table, place)
    places = scope.type(x).shape[-2]
    length = constant(scope.letters.fix(places))
    if length is not None and length + component.offset > size:
        scope.reject(
            "AR0305",
            f"the table has {component.size} positions for {length} vectors",
            f"at least {length} needed",
        )
    whole = length == size
    rows_letter = places if whole else scope.letters.fixed("table", size, component.size.said)
    learned = LearnedPositions(rows_letter, width, component.offset, whole, draws.table())
    return scope.op("positions", learned, x, pos)


def _place(scope: Scope, x: Value, edge: str) -> Value | None:
    """The place of every position within its document, where an input packs several."""
    if edge not in scope.spec.inputs or not scope.spec.inputs[edge].segments:
        return None
    shape = scope.type(x).shape[:2]
    return scope.need(Need("place", (edge, "new")), TensorType("int", shape), "place")
