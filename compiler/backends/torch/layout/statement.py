"""Statements as documents."""

import ast

from compiler.backends.torch.layout.context import OUTSIDE, comma_separated, if_expands
from compiler.backends.torch.layout.display import elements
from compiler.backends.torch.layout.doc import Doc, join
from compiler.backends.torch.layout.expression import Parenthesize
from compiler.backends.torch.layout.header import Block, Headers


class Statements(Headers):
    """The statement of one line as a document; its comment follows where it is not in it."""

    def statement(self, node: ast.stmt) -> Doc:
        """A simple statement or the header of a block.

        Raises ValueError for a kind that generated code does not use.
        """
        match node:
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                return self.assignment(node)
            case ast.Return():
                return self.returned(node)
            case ast.Expr():
                return self.expression(node)
            case ast.Assert():
                return self.asserted(node)
            case ast.Raise():
                return self.raised(node)
            case ast.ImportFrom():
                return self.imported(node)
            case ast.Import():
                return ("import ", join(", ", [_alias(name) for name in node.names]))
            case ast.Pass() | ast.Break() | ast.Continue():
                return type(node).__name__.lower()
            case _ if isinstance(node, Block):
                return self.header(node)
            case _:
                raise ValueError(f"no layout for {type(node).__name__}: {self.source.line!r}")

    def returned(self, node: ast.Return) -> Doc:
        """`return` with or without a value; a pair may break in the brackets it has."""
        value = node.value
        if value is None:
            return "return"
        if not isinstance(value, ast.Tuple):
            return ("return ", self.last_expression(value, node))
        pair = value
        if len(pair.elts) != 2 or self.source.own_parentheses(pair):
            return ("return ", self.bare(pair, OUTSIDE))
        return ("return ", self.optional(lambda level: elements(self, pair, level)))

    def expression(self, node: ast.Expr) -> Doc:
        """An expression alone, mostly a call."""
        value = node.value
        if isinstance(value, ast.BinOp | ast.BoolOp | ast.Compare):
            return self.maybe_parenthesize(value, node, Parenthesize.IF_BREAKS_KEEPING)
        return self.format(value, OUTSIDE)

    def asserted(self, node: ast.Assert) -> Doc:
        """`assert` with or without a message."""
        test = self.maybe_parenthesize(node.test, node, Parenthesize.IF_BREAKS_ALWAYS)
        if node.msg is None:
            return ("assert ", test)
        message = self.maybe_parenthesize(node.msg, node, Parenthesize.IF_BREAKS_ALWAYS)
        return ("assert ", test, ", ", message)

    def raised(self, node: ast.Raise) -> Doc:
        """`raise` with or without an exception and its cause."""
        docs: list[Doc] = ["raise"]
        for word, value in ((" ", node.exc), (" from ", node.cause)):
            if value is not None:
                docs += [word, self.maybe_parenthesize(value, node, Parenthesize.IF_BREAKS_KEEPING)]
        return tuple(docs)

    def imported(self, node: ast.ImportFrom) -> Doc:
        """`from … import …`, in parentheses if it breaks."""
        start = f"from {'.' * node.level}{node.module or ''} import "
        if node.names[0].name == "*":
            return start + "*"
        names: list[Doc] = [_alias(name) for name in node.names]
        return (start, if_expands(comma_separated(names, False, always=True)))


def _alias(name: ast.alias) -> str:
    return name.name if name.asname is None else f"{name.name} as {name.asname}"
