"""`defaults:`, the only settings that are inherited."""

from dataclasses import field

from archspec.components.build import build
from archspec.components.norm import Norm
from archspec.model.dropout import DropoutRates, read_dropout
from archspec.model.init import Init, read_init
from archspec.model.words import DEFAULTS_KEYS
from archspec.source.compose import first_line, value_of
from archspec.source.expression import Scope
from archspec.source.frozen import Frozen
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Scalar, Sequence, Table, Tree, described, is_none

PLACES = ("pre", "out", "post")


class Defaults(Frozen):
    """What a sub-layer or node gets that does not say otherwise; `spans` tells where it is said."""

    norm: Norm | None = None
    norm_at: frozenset[str] | None = None
    bias: bool = False
    dropout: DropoutRates = field(default_factory=DropoutRates)
    init: Init = field(default_factory=Init)
    spans: dict[str, Span] = field(default_factory=dict)


def read_defaults(tree: Tree | None, scope: Scope, report: Report) -> Defaults:
    if tree is None:
        return Defaults()
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", "`defaults` is a mapping", first_line(tree.span), label)
        return Defaults()
    norm, norm_at, bias = None, None, False
    dropout, init = DropoutRates(), Init()
    spans: dict[str, Span] = {}
    for name, entry in tree:
        path = f"defaults.{name}"
        spans[name] = entry.value.span if isinstance(entry.value, Scalar) else entry.key
        report.mark(path, "written", spans[name])
        if name == "norm":
            norm = read_norm(entry.value, entry.key, path, scope, report)
        elif name == "norm_at":
            norm_at = read_norm_at(entry.value, report)
        elif name == "bias":
            bias = read_bias(entry.value, report)
        elif name == "dropout":
            dropout = read_dropout(entry.value, entry.key, path, scope, report)
        elif name == "init":
            init = read_init(entry.value, entry.key, path, scope, report)
        else:
            hint = did_you_mean(name, DEFAULTS_KEYS)
            there = "" if hint else f"`defaults` knows {listed(DEFAULTS_KEYS, 'and')}"
            report.error("AR0102", f"unknown key `{name}`", entry.key, hint, help=there)
    return Defaults(norm, norm_at, bias, dropout, init, spans)


def read_norm(tree: Tree, key: Span, path: str, scope: Scope, report: Report) -> Norm | None:
    if is_none(tree):
        return None
    return build(Norm, tree, key, path, scope, report)


def read_bias(tree: Tree, report: Report) -> bool:
    value = value_of(tree) if isinstance(tree, Scalar) else None
    if isinstance(value, bool):
        return value
    if not is_none(tree):
        place = first_line(tree.span)
        label = f"this is {described(tree)}"
        report.error(
            "AR0104",
            "`bias` must be `true` or `false` here",
            place,
            label,
            help="letters are for an `attention` of its own",
        )
    return False


def read_norm_at(tree: Tree, report: Report) -> frozenset[str]:
    """`none`, a place or a list of places."""
    if is_none(tree):
        return frozenset()
    items = tree.items if isinstance(tree, Sequence) else (tree,)
    found: set[str] = set()
    for item in items:
        if isinstance(item, Scalar) and item.text in PLACES:
            found.add(item.text)
            continue
        hint = did_you_mean(item.text, PLACES) if isinstance(item, Scalar) else ""
        report.error(
            "AR0201",
            f"`norm_at` is `none` or any of {listed(PLACES, 'and')}",
            first_line(item.span),
            hint or f"this is {described(item)}",
        )
    return frozenset(found)
