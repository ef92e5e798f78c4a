"""Vectors to logits, with a table of its own or the embedding's."""

from archspec.components.unembed import Unembed
from compiler.ir.graph import Value
from compiler.lower.draws import Draws
from compiler.lower.embed import Table
from compiler.lower.scope import Scope
from compiler.ops import Borrow, Linear, Scale, SharedLinear, Softcap


def unembed(
    scope: Scope, id_: str, component: Unembed, x: Value, tied: Table | None, draws: Draws
) -> Value:
    """[..., D] to [..., V]: · in_scale, map, table, + bias, · scale, softcap."""
    if component.in_scale != 1.0:
        x = scope.op(f"{id_}_in", Scale(component.in_scale), x)
    if component.project is not None:
        width = scope.letters.fixed("width", component.project, component.project.said)
        init = draws.inner(scope.width(x), component.project)
        x = scope.op(f"{id_}_project", Linear(width, init=init), x)
    if tied is not None:
        table = scope.op(f"{id_}_table", Borrow(tied.path, tied.vocabulary, tied.width))
        y = scope.op(id_, SharedLinear(component.bias), x, table)
    else:
        assert component.vocab is not None
        vocabulary = scope.letters.fixed("vocabulary", component.vocab, component.vocab.said)
        init = draws.inner(scope.width(x), component.vocab)
        y = scope.op(id_, Linear(vocabulary, component.bias, init), x)
    if component.scale != 1.0:
        y = scope.op(f"{id_}_scaled", Scale(component.scale), y)
    if component.softcap is not None:
        y = scope.op(f"{id_}_capped", Softcap(component.softcap), y)
    return y
