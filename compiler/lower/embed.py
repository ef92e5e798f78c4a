"""Token embedding: the table, its scale, positions, types, norm and the map to another width."""

from dataclasses import replace

from archspec.components.embed import Embed
from archspec.source.frozen import Frozen
from compiler.ir.graph import Value
from compiler.ir.size import Poly
from compiler.ir.types import TensorType
from compiler.lower.draws import Draws
from compiler.lower.norm import norm
from compiler.lower.positions import Course, obeys_padding, positions
from compiler.lower.scope import Need, Scope
from compiler.ops import (
    Add,
    Dropout,
    Embedding,
    Linear,
    Scale,
    SharedEmbedding,
    TypeEmbedding,
    ZeroPadding,
)


class Table(Frozen):
    """A token table that other nodes may borrow: the path of its parameter and its two letters."""

    path: str
    vocabulary: Poly
    width: Poly


def embed(
    scope: Scope,
    component: Embed,
    ids: Value,
    course: Course,
    shared: Table | None,
    draws: Draws,
    dropout: float,
) -> Value:
    """Tokens [B, T] to vectors [B, T, D]: row · scale + positions + type row, norm, zeros at
    padding, map (in this order).

    Types and documents are named after the input of the `course`.
    """
    x, width = _rows(scope, component, ids, shared, draws)
    if component.scale != 1.0:
        x = scope.op("scaled", Scale(component.scale, component.round_scale), x)
    if component.positions is not None:
        x = positions(scope, component.positions, x, replace(course, ids=ids), draws)
    if component.types:
        rows = scope.letters.fixed("types", component.types, component.types.said)
        given = TensorType("int", scope.type(ids).shape, optional=True)
        needed = scope.need(Need("types", (course.input,)), given, "token_types")
        types = scope.op("types", TypeEmbedding(rows, width, draws.table()), ids, needed)
        x = scope.op("typed", Add(), x, types)
    if component.norm is not None:
        x = norm(scope, "norm", component.norm, x)
    if component.mask_pads:
        x = _masked(scope, x, course)
    if dropout:
        x = scope.op("drop", Dropout(dropout), x)
    if component.project is not None:
        wide = scope.letters.fixed("width", component.project, component.project.said)
        init = draws.inner(scope.width(x), component.project)
        x = scope.op("project", Linear(wide, init=init), x)
    return x


def _masked(scope: Scope, x: Value, course: Course) -> Value:
    obeys_padding(scope, "`mask_pads`", replace(course, field="embed.mask_pads"))
    real = TensorType("bool", scope.type(x).shape[:2])
    return scope.op(
        "masked", ZeroPadding(), x, scope.need(Need("new_real", (course.input,)), real, "real")
    )


def _rows(
    scope: Scope, component: Embed, ids: Value, shared: Table | None, draws: Draws
) -> tuple[Value, Poly]:
    """The rows of the tokens and the width of their table."""
    if shared is not None:
        found = TensorType("float", (shared.vocabulary, shared.width))
        table = scope.need(Need("table", (shared.path,)), found, "table")
        return scope.op("tokens", SharedEmbedding(), ids, table), shared.width
    assert component.vocab is not None and component.dim is not None
    vocabulary = scope.letters.fixed("vocabulary", component.vocab, component.vocab.said)
    width = scope.letters.fixed("width", component.dim, component.dim.said)
    return scope.op("tokens", Embedding(vocabulary, width, draws.table()), ids), width
