"""Displays: tuples, lists, sets, dicts and comprehensions; and slices."""

import ast
from typing import TypeAlias

from compiler.backends.torch.layout.context import (
    INSIDE,
    Context,
    Level,
    bracketed,
    comma_separated,
    if_expands,
)
from compiler.backends.torch.layout.doc import Doc, Line, group, join
from compiler.backends.torch.layout.source import end_column

Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

BRACKETS: dict[type[ast.expr], tuple[str, str]] = {
    ast.List: ("[", "]"),
    ast.Set: ("{", "}"),
    ast.Dict: ("{", "}"),
    ast.ListComp: ("[", "]"),
    ast.SetComp: ("{", "}"),
    ast.DictComp: ("{", "}"),
    ast.GeneratorExp: ("(", ")"),
}


def display(context: Context, node: ast.List | ast.Set | ast.Dict, level: Level) -> Doc:
    """A list, set or dict: on one line or one element a line."""
    left, right = BRACKETS[type(node)]
    items: list[Doc]
    if isinstance(node, ast.Dict):
        items = [_pair(context, *pair) for pair in zip(node.keys, node.values, strict=True)]
    else:
        items = [context.format(element, INSIDE) for element in node.elts]
    if not items:
        return left + right
    comma = context.source.comma_before(end_column(node))
    return bracketed(left, comma_separated(items, comma), right, level)


def _pair(context: Context, key: ast.expr | None, value: ast.expr) -> Doc:
    doc = context.format(value, INSIDE)
    if key is None:
        return group(("**", doc))
    return group((group(context.format(key, INSIDE)), ": ", doc))


def elements(context: Context, node: ast.Tuple, level: Level) -> Doc:
    """The elements of a tuple without its parentheses, at least two."""
    source = context.source
    own = source.own_parentheses(node)
    comma = source.comma_before(end_column(node)) if own else source.comma_ends(node)
    return comma_separated([context.format(element, level) for element in node.elts], comma)


def tuple_display(context: Context, node: ast.Tuple, level: Level) -> Doc:
    """A tuple; without parentheses in the source it gets them if it breaks."""
    if not node.elts:
        return "()"
    if len(node.elts) == 1:
        return bracketed("(", (context.format(node.elts[0], INSIDE), ","), ")", level)
    if context.source.own_parentheses(node):
        return bracketed("(", elements(context, node, INSIDE), ")", level)
    return if_expands(elements(context, node, INSIDE))


def subscript_tuple(context: Context, node: ast.Tuple, end: int) -> Doc:
    """A tuple without parentheses in the brackets that end at column `end`."""
    items = [context.format(element, INSIDE) for element in node.elts]
    comma = context.source.comma_before(end)
    if len(items) == 1:
        return (items[0], "," if comma else "")
    return group(comma_separated(items, comma))


def comprehension(context: Context, node: Comprehension, level: Level) -> Doc:
    """A comprehension or generator in its brackets."""
    left, right = BRACKETS[type(node)]
    return bracketed(left, group(generator(context, node)), right, level)


def generator(context: Context, node: Comprehension) -> Doc:
    """What stands in the brackets of a comprehension."""
    if isinstance(node, ast.DictComp):
        key = group(context.format(node.key, INSIDE))
        first: Doc = (key, ": ", context.format(node.value, INSIDE))
    else:
        first = context.format(node.elt, INSIDE)
    clauses = [_clause(context, clause) for clause in node.generators]
    return (group(first), Line.SPACE, join(Line.SPACE, clauses))


def _clause(context: Context, clause: ast.comprehension) -> Doc:
    target = clause.target
    if isinstance(target, ast.Tuple) and len(target.elts) > 1:
        name = join(", ", [context.format(element, INSIDE) for element in target.elts])
    else:
        name = context.format(target, INSIDE)
    tests: list[Doc] = [(Line.SPACE, "if ", context.format(test, INSIDE)) for test in clause.ifs]
    word = "async for " if clause.is_async else "for "
    return (word, name, " in ", context.format(clause.iter, INSIDE), *tests)


def slice_(context: Context, node: ast.Slice, level: Level) -> Doc:
    """`lower:upper:step`, with spaces around the colons where a part is more than a name."""
    parts = (node.lower, node.upper, node.step)
    spaced = not all(part is None or _is_simple(part) for part in parts)
    lower, upper, step = ("" if part is None else context.format(part, level) for part in parts)
    docs: list[Doc] = [lower, " " if spaced and node.lower else "", ":"]
    docs += [" " if spaced and node.upper else "", upper]
    if context.source.second_colon(node):
        docs += [" " if spaced and (node.upper or not node.step) else "", ":"]
        docs += [" " if spaced and node.step else "", step]
    return tuple(docs)


def _is_simple(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
        return _is_simple(node.operand)
    return isinstance(node, ast.Name | ast.Constant)
