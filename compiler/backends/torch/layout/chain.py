"""Chains of calls, attributes and subscripts, with what stands in their brackets."""

import ast
from enum import Enum, auto
from typing import TypeAlias

from compiler.backends.torch.layout.context import (
    INSIDE,
    Context,
    Level,
    bracketed,
    comma_separated,
)
from compiler.backends.torch.layout.display import generator, subscript_tuple
from compiler.backends.torch.layout.doc import Doc, Line, group
from compiler.backends.torch.layout.parentheses import is_fluent
from compiler.backends.torch.layout.source import end_column

Link: TypeAlias = ast.Call | ast.Attribute | ast.Subscript


class Style(Enum):
    """How a chain breaks; its outermost link decides for the others."""

    UNDECIDED = auto()
    FLUENT = auto()
    PLAIN = auto()


def chain(context: Context, node: Link, level: Level, style: Style = Style.UNDECIDED) -> Doc:
    """A link and what it hangs on; a fluent chain may break before its dots."""
    root = style is Style.UNDECIDED
    if root:
        fluent = level.breakable and is_fluent(context.source, node)
        style = Style.FLUENT if fluent else Style.PLAIN
    doc = (_before(context, node, level, style), _link(context, node, level, style))
    return group(doc) if root and style is Style.FLUENT else doc


def _inner(node: Link) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node.value


def _before(context: Context, node: Link, level: Level, style: Style) -> Doc:
    inner = _inner(node)
    if context.source.parenthesized(inner) or _is_number_with_dot(node, inner):
        return context.wrapped(inner, level)
    if isinstance(inner, Link):
        return chain(context, inner, level, style)
    return context.bare(inner, level)


def _is_number_with_dot(node: Link, inner: ast.expr) -> bool:
    """Whether the dot of an attribute would read as a decimal point."""
    if not (isinstance(node, ast.Attribute) and isinstance(inner, ast.Constant)):
        return False
    return type(inner.value) in (int, float)


def _link(context: Context, node: Link, level: Level, style: Style) -> Doc:
    match node:
        case ast.Call():
            return arguments(context, node, level)
        case ast.Subscript():
            return bracketed("[", _subscript(context, node), "]", level)
        case ast.Attribute():
            bracket = isinstance(node.value, ast.Call | ast.Subscript)
            bracket = bracket or context.source.parenthesized(node.value)
            dot = Line.SOFT if style is Style.FLUENT and bracket else ""
            return (dot, ".", node.attr)


def _subscript(context: Context, node: ast.Subscript) -> Doc:
    if isinstance(node.slice, ast.Tuple) and not context.source.own_parentheses(node.slice):
        return subscript_tuple(context, node.slice, end_column(node))
    return context.format(node.slice, INSIDE)


def arguments(context: Context, node: ast.Call | ast.ClassDef, level: Level) -> Doc:
    """The parentheses of a call or of a class with its arguments, broken in two steps.

    They move to a line of their own first and to one line each where that does not suffice.
    """
    items: list[ast.expr | ast.keyword]
    args = node.args if isinstance(node, ast.Call) else node.bases
    items = sorted([*args, *node.keywords], key=lambda item: item.col_offset)
    if not items:
        return "()"
    match items:
        case [ast.GeneratorExp() as only] if not context.source.own_parentheses(only):
            return bracketed("(", group(generator(context, only)), ")", level)
    docs = [_argument(context, item) for item in items]
    comma = isinstance(node, ast.Call) and context.source.comma_before(end_column(node))
    return bracketed("(", group(comma_separated(docs, comma)), ")", level)


def _argument(context: Context, item: ast.expr | ast.keyword) -> Doc:
    if isinstance(item, ast.keyword):
        name = "**" if item.arg is None else f"{item.arg}="
        return (name, context.format(item.value, INSIDE))
    return context.format(item, INSIDE)
