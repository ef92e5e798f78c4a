"""How much is dropped where."""

from dataclasses import fields

from archspec.components.fields import real
from archspec.components.written import plain
from archspec.source.expression import Scope
from archspec.source.fault import Fault
from archspec.source.frozen import Frozen
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean
from archspec.source.tree import Scalar, Table, Tree, is_none


class DropoutRates(Frozen):
    """Shares of elements set to zero in training.

    `residual`: each branch's output; `attention`: the weights; `hidden`: the inner activations of
    an mlp; `embed`: behind embeddings and patches.
    """

    residual: float = 0.0
    attention: float = 0.0
    hidden: float = 0.0
    embed: float = 0.0


PLACES = tuple(field.name for field in fields(DropoutRates))


def read_dropout(tree: Tree, key: Span, path: str, scope: Scope, report: Report) -> DropoutRates:
    """A number for residual and embed, or a mapping by place; what is not named is 0."""
    if is_none(tree):
        return DropoutRates()
    if not isinstance(tree, Table):
        rate = read_rate(tree, key, scope, report)
        for place in ("residual", "embed"):
            report.mark(f"{path}.{place}", "written", tree.span)
        return DropoutRates(residual=rate, embed=rate)
    rates: dict[str, float] = {}
    for name, entry in tree:
        if name not in PLACES:
            hint = did_you_mean(name, PLACES)
            report.error("AR0102", f"unknown key `{name}`", entry.key, hint)
            continue
        rates[name] = read_rate(entry.value, entry.key, scope, report)
        report.mark(f"{path}.{name}", "written", entry.value.span)
    return DropoutRates(**rates)


def read_rate(tree: Tree, key: Span, scope: Scope, report: Report) -> float:
    try:
        return real(plain(tree, scope), 0, 1)
    except Fault as fault:
        if fault.message.startswith("must "):
            fault.message = f"`dropout` {fault.message}"
        report.fault(fault, tree.span if isinstance(tree, Scalar) else key)
        return 0.0
