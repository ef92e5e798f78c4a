"""Whether an expression may break in its own brackets, without parentheses around it."""

import ast
from collections.abc import Iterator

from compiler.backends.torch.layout.parentheses import DISPLAYS, has_brackets
from compiler.backends.torch.layout.precedence import BINARY, Precedence
from compiler.backends.torch.layout.source import Source


def may_omit_parentheses(source: Source, node: ast.expr) -> bool:
    """Whether breaking inside the brackets of `node` may do instead of parentheses around it."""
    survey = _Survey(source)
    survey.inside(node)
    if not survey.brackets or survey.count > 1:
        return False
    if survey.loosest <= Precedence.ATTRIBUTE:
        return True
    return any(_ends_in_brackets(source, end) for end in (survey.last, survey.first))


def _ends_in_brackets(source: Source, node: ast.expr | None) -> bool:
    if node is None or isinstance(node, ast.Subscript):
        return False
    return has_brackets(source, node) is True


class _Survey:
    """The loosest operators outside brackets, and the first and last operand."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.loosest = Precedence.NONE
        self.count = 0
        self.brackets = False
        self.first: ast.expr | None = None
        self.first_is_token = False
        self.last: ast.expr | None = None

    def note(self, precedence: Precedence, count: int = 1) -> None:
        if precedence > self.loosest:
            self.loosest, self.count = precedence, count
        elif precedence == self.loosest:
            self.count += count

    def visit(self, node: ast.expr) -> None:
        self.last = node
        if self.source.parenthesized(node):
            self.brackets = True
        else:
            self.inside(node)
        if self.first is None and not self.first_is_token:
            self.first = node

    def inside(self, node: ast.expr) -> None:
        match node:
            case ast.Tuple() | ast.GeneratorExp() if self.source.own_parentheses(node):
                self.brackets = True
                return
            case ast.Call(func=inner) | ast.Subscript(value=inner):
                self.brackets = True
                self.visit(inner)
                self.last = node
                return
            case ast.Attribute(value=inner):
                self.visit(inner)
                if has_brackets(self.source, inner) is not None:
                    self.note(Precedence.ATTRIBUTE)
                self.last = node
                return
            case ast.BoolOp():
                self.note(Precedence.BOOLEAN, len(node.values) - 1)
            case ast.BinOp():
                self.note(BINARY[type(node.op)][1])
            case ast.IfExp():
                self.note(Precedence.CONDITIONAL, 2)
            case ast.Compare():
                self.note(Precedence.COMPARE, len(node.ops))
            case ast.UnaryOp():
                if isinstance(node.op, ast.Invert):
                    self.note(Precedence.INVERT)
                self.first_is_token |= self.first is None
            case ast.Starred():
                self.first_is_token |= self.first is None
            case _ if isinstance(node, DISPLAYS):
                self.brackets = True
                return
            case ast.Slice() | ast.JoinedStr():
                return
        for child in _operands(node):
            self.visit(child)


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """The direct operands of `node`, in the order of the text."""
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.test, node.orelse)
        return
    yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
