"""Operators: a chain of them is one flat sequence, broken before the loosest first."""

import ast
from dataclasses import dataclass
from typing import TypeAlias

from compiler.backends.torch.layout.context import (
    Context,
    Level,
    broken_only,
    soft_group,
    soft_line,
)
from compiler.backends.torch.layout.doc import Doc, Line
from compiler.backends.torch.layout.precedence import BINARY, COMPARE, UNARY, Precedence
from compiler.backends.torch.layout.source import Source

BinaryLike: TypeAlias = ast.BinOp | ast.BoolOp | ast.Compare


@dataclass(frozen=True)
class Operator:
    """An operator between two operands."""

    symbol: str
    precedence: Precedence


@dataclass(frozen=True)
class Parts:
    """Operands with the operators between them: one operand more than operators."""

    operands: tuple[ast.expr, ...]
    operators: tuple[Operator, ...]

    def split(self) -> tuple[tuple["Parts", ...], tuple[Operator, ...]]:
        """The pieces between the loosest operators, and those operators."""
        loosest = max(operator.precedence for operator in self.operators)
        cuts = [i for i, operator in enumerate(self.operators) if operator.precedence == loosest]
        pieces: list[Parts] = []
        start = 0
        for cut in [*cuts, len(self.operators)]:
            pieces.append(Parts(self.operands[start : cut + 1], self.operators[start:cut]))
            start = cut + 1
        return tuple(pieces), tuple(self.operators[cut] for cut in cuts)


def flatten(source: Source, node: BinaryLike) -> Parts:
    """`node` and every operand of it that is not in parentheses, as one sequence."""
    operands: list[ast.expr] = []
    operators: list[Operator] = []
    for index, (operand, operator) in enumerate(_links(node)):
        if index:
            operators.append(operator)
        nested = isinstance(operand, ast.BinOp | ast.BoolOp | ast.Compare)
        if nested and not source.parenthesized(operand):
            assert isinstance(operand, ast.BinOp | ast.BoolOp | ast.Compare)
            inner = flatten(source, operand)
            operands += inner.operands
            operators += inner.operators
        else:
            operands.append(operand)
    return Parts(tuple(operands), tuple(operators))


def _links(node: BinaryLike) -> list[tuple[ast.expr, Operator]]:
    """The direct operands, each with the operator before it (the first with any)."""
    if isinstance(node, ast.BinOp):
        operator = Operator(*BINARY[type(node.op)])
        return [(node.left, operator), (node.right, operator)]
    if isinstance(node, ast.BoolOp):
        symbol = "and" if isinstance(node.op, ast.And) else "or"
        return [(value, Operator(symbol, Precedence.BOOLEAN)) for value in node.values]
    operators = [Operator(COMPARE[type(op)], Precedence.COMPARE) for op in node.ops]
    return list(zip([node.left, *node.comparators], [operators[0], *operators], strict=True))


def is_simple_power(source: Source, left: ast.expr, right: ast.expr) -> bool:
    """Whether `left ** right` is written without spaces."""
    return all(_is_simple(side) and not source.parenthesized(side) for side in (left, right))


def _is_simple(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.Not()):
            return False
        case ast.UnaryOp(operand=inner) | ast.Attribute(value=inner):
            return _is_simple(inner)
        case ast.Constant(value=value):
            return not isinstance(value, str | bytes)
        case _:
            return isinstance(node, ast.Name)


def operators(context: Context, node: BinaryLike, level: Level) -> Doc:
    """A chain of operators, broken before the loosest of them first."""
    return soft_group(level, _pieces(context, flatten(context.source, node), level))


def _pieces(context: Context, parts: Parts, level: Level) -> Doc:
    pieces, between = parts.split()
    docs: list[Doc] = [_piece(context, pieces[0], level)]
    for left, operator, right in zip(pieces, between, pieces[1:], strict=False):
        ends = (left.operands[-1], right.operands[0])
        if operator.symbol == "**" and is_simple_power(context.source, *ends):
            docs += [soft_line(level, Line.SOFT), "**", broken_only(level, " ")]
        else:
            docs += [soft_line(level), operator.symbol, " "]
        docs.append(_piece(context, right, level))
    return tuple(docs)


def _piece(context: Context, parts: Parts, level: Level) -> Doc:
    if parts.operators:
        return soft_group(level, _pieces(context, parts, level))
    return context.format(parts.operands[0], level)


def conditional(context: Context, node: ast.IfExp, level: Level, nested: bool = False) -> Doc:
    """`body if test else orelse`, broken before both words; a further one in `orelse` with it."""
    orelse = node.orelse
    if isinstance(orelse, ast.IfExp) and not context.source.parenthesized(orelse):
        last = conditional(context, orelse, level, nested=True)
    else:
        last = soft_group(level, context.format(orelse, level))
    body = context.format(node.body, level)
    test = (soft_line(level), "if ", context.format(node.test, level))
    doc = (body, test, soft_line(level), "else ", last)
    return doc if nested else soft_group(level, doc)


def unary(context: Context, node: ast.UnaryOp, level: Level) -> Doc:
    """An operator before its operand; a power always gets parentheses."""
    operand = node.operand
    power = isinstance(operand, ast.BinOp) and isinstance(operand.op, ast.Pow)
    doc = context.wrapped(operand, level) if power else context.format(operand, level)
    return (UNARY[type(node.op)], doc)
