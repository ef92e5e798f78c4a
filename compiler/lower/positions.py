"""Absolute positions added to a sequence or put beside it: a learned table or sinusoids."""

from archspec.components.positions import Learned
from archspec.components.positions import Sinusoid as Waves
from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.size import Size, constant
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.scope import Need, Scope, fixed
from compiler.ops import (
    Add,
    AddRows,
    Concat,
    ConcatRows,
    CountedPlaces,
    LearnedPositions,
    PlacedPositions,
    PlacedSinusoid,
    RealIds,
    Sinusoid,
)


class Course(Frozen):
    """The sequence whose places are counted.

    Attributes:
        input: the model input that it comes from.
        cached: whether a decoder counts on from the positions that it has seen.
        padded: whether a padding mask goes with it.
        ids: its token ids, where it has any.
        real: its padding mask, where that is at hand.
        field: where the spec says what is counted, within the component.
    """

    input: str
    cached: bool
    padded: bool
    field: str
    ids: Value | None = None
    real: Value | None = None


def positions(
    scope: Scope, component: Learned | Waves, x: Value, course: Course, draws: Draws
) -> Value:
    """`x` plus a vector for each place, or beside it; a decoder counts from the positions it has
    seen.

    Places begin anew with every document that an input packs.
    """
    rows = _rows(scope, component, x, course, draws)
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
    scope: Scope, component: Learned | Waves, x: Value, course: Course, draws: Draws
) -> Value:
    width = scope.type(x).shape[-1]
    if component.width is not None:
        width = scope.letters.fixed("width", component.width, component.width.said)
    if isinstance(component, Waves):
        return _waves(scope, component, x, width, course)
    place = _place(scope, x, course) if component.from_ in ("index", "segments") else None
    if component.from_ in ("mask", "nonpad"):
        place = _counted(scope, component, x, course)
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
    return scope.op("positions", learned, x, _pos(scope, course))


def _waves(scope: Scope, component: Waves, x: Value, width: Size, course: Course) -> Value:
    wide = fixed(scope.letters.fix(width))
    if wide % 2:
        scope.reject("AR0304", "sinusoids come in pairs", f"the width {wide} is odd")
    if wide == 2 and component.span == "d-2":
        scope.reject("AR0304", "`span: d-2` needs two pairs of sinusoids", "one pair is here")
    settings = (width, component.base, component.layout, component.span == "d-2")
    place = _place(scope, x, course)
    if place is not None:
        return scope.op("places", PlacedSinusoid(*settings), x, place)
    return scope.op("places", Sinusoid(*settings), x, _pos(scope, course))


def _pos(scope: Scope, course: Course) -> Value | None:
    return scope.need(Need("pos"), TensorType("int", ()), "pos") if course.cached else None


def _place(scope: Scope, x: Value, course: Course) -> Value | None:
    """The place of every position within its document, where an input packs several."""
    if not scope.packs(course.input):
        return None
    shape = scope.type(x).shape[:2]
    return scope.need(Need("place", (course.input, "new")), TensorType("int", shape), "place")


def _counted(scope: Scope, component: Learned, x: Value, course: Course) -> Value:
    """The place of every position among those that are no padding."""
    how = f"`from: {component.from_}`"
    if scope.packs(course.input):
        scope.reject(
            "AR0262",
            f"{how} counts through a row, and a row has several documents here",
            "counted across documents",
            "leave `from` out: places then begin anew with every document",
            field=course.field,
        )
    if component.from_ == "nonpad":
        if course.ids is None:
            scope.reject("AR0261", f"{how} counts ids", "vectors come in", field=course.field)
        real = scope.op("real", RealIds(int(component.offset) - 1), course.ids)
        return scope.op("count", CountedPlaces(before=True), real)
    obeys_padding(scope, how, course)
    if course.real is not None:
        return scope.op("count", CountedPlaces(before=component.offset > 0), course.real)
    need = Need("counted", (course.input, component.offset > 0))
    return scope.need(need, TensorType("int", scope.type(x).shape[:2]), "count")


def obeys_padding(scope: Scope, what: str, course: Course) -> None:
    """Rejects a setting about padding where there is none."""
    if not course.padded:
        scope.reject(
            "AR0260",
            f"{what} needs padding to obey",
            "no padding mask comes here",
            "write `padded: true` at the input, as in `ids: {tokens: {padded: true}}`",
            field=course.field,
        )
