"""Expressions as documents: where each kind may break, and when it gets parentheses to break in."""

import ast
from enum import Enum, auto

from compiler.backends.torch.layout.chain import chain
from compiler.backends.torch.layout.context import INSIDE, OUTSIDE, Context, Level, if_expands
from compiler.backends.torch.layout.display import (
    comprehension,
    display,
    slice_,
    tuple_display,
)
from compiler.backends.torch.layout.doc import Doc
from compiler.backends.torch.layout.operators import conditional, operators, unary
from compiler.backends.torch.layout.parentheses import Need, need
from compiler.backends.torch.layout.survey import may_omit_parentheses


class Parenthesize(Enum):
    """When a statement puts parentheses around its expression."""

    IF_BREAKS = auto()
    IF_BREAKS_KEEPING = auto()
    IF_BREAKS_ALWAYS = auto()


class Expressions(Context):
    """The expressions of one line as documents."""

    def bare(self, node: ast.expr, level: Level) -> Doc:
        """Raises ValueError for a kind that generated code does not use."""
        match node:
            case ast.Name():
                return node.id
            case ast.Constant() | ast.JoinedStr():
                return self.source.text(node)
            case ast.Call() | ast.Attribute() | ast.Subscript():
                return chain(self, node, level)
            case ast.BinOp() | ast.BoolOp() | ast.Compare():
                return operators(self, node, level)
            case ast.UnaryOp():
                return unary(self, node, level)
            case ast.IfExp():
                return conditional(self, node, level)
            case ast.Tuple():
                return tuple_display(self, node, level)
            case ast.List() | ast.Set() | ast.Dict():
                return display(self, node, level)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return comprehension(self, node, level)
            case ast.Slice():
                return slice_(self, node, level)
            case ast.Starred():
                return ("*", self.format(node.value, level))
            case _:
                raise ValueError(f"no layout for {type(node).__name__} in {self.source.line!r}")

    def maybe_parenthesize(
        self, node: ast.expr, parent: ast.AST, when: Parenthesize = Parenthesize.IF_BREAKS
    ) -> Doc:
        """The expression of a statement, in parentheses where it needs them to break."""
        if when is Parenthesize.IF_BREAKS_KEEPING and self.source.parenthesized(node):
            return self.wrapped(node, OUTSIDE)
        needed = need(self.source, node, parent)
        best_fit = needed is Need.BEST_FIT
        if needed is Need.NEVER or (best_fit and when is Parenthesize.IF_BREAKS_KEEPING):
            return self.bare(node, OUTSIDE)
        if best_fit and when is Parenthesize.IF_BREAKS:
            return self.to_fit(lambda level: self.bare(node, level))
        if may_omit_parentheses(self.source, node):
            return self.optional(lambda level: self.bare(node, level))
        return if_expands(self.bare(node, INSIDE))
