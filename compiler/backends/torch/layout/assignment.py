"""Assignments: the value gets parentheses before the target breaks."""

import ast

from compiler.backends.torch.layout.context import INSIDE, OUTSIDE, Level, if_expands
from compiler.backends.torch.layout.doc import (
    BestFit,
    Doc,
    Group,
    IfBroken,
    Suffix,
    block,
    forces_break,
)
from compiler.backends.torch.layout.expression import Expressions
from compiler.backends.torch.layout.parentheses import (
    Need,
    has_brackets,
    is_splittable,
    need,
    own_brackets,
)
from compiler.backends.torch.layout.precedence import BINARY
from compiler.backends.torch.layout.source import Source
from compiler.backends.torch.layout.survey import may_omit_parentheses


class Assignments(Expressions):
    """Assignments of every kind as documents.

    `comment` stands after the statement: in the parentheses of a value that gets some only to fit.
    """

    def __init__(self, source: Source, comment: Suffix | None) -> None:
        super().__init__(source)
        self.comment = comment

    def take_comment(self) -> Doc:
        """The comment, which then has its place."""
        comment, self.comment = self.comment, None
        return comment or ""

    def assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> Doc:
        """Target, operator and value."""
        match node:
            case ast.AnnAssign():
                return self.annotated(node)
            case ast.AugAssign():
                operator = f" {BINARY[type(node.op)][0]}= "
                if self.is_bracketed(node.target):
                    return self.right_to_left(node.target, operator, node.value, node)
                target = self.format(node.target, OUTSIDE)
                return (target, operator, self.last_expression(node.value, node))
            case ast.Assign():
                return self.plain(node)

    def plain(self, node: ast.Assign) -> Doc:
        """One target or several, each with its `=`."""
        first, *rest = node.targets
        if not rest and self.is_bracketed(first) and not self.source.parenthesized(first):
            return self.right_to_left(first, " = ", node.value, node)
        docs: list[Doc] = [self.format(first, OUTSIDE), " = "]
        if not rest:
            return (*docs, self.last_expression(node.value, node))
        for target in rest[:-1]:
            docs += [self.target_doc(target), " = "]
        return (*docs, self.right_to_left(rest[-1], " = ", node.value, node))

    def annotated(self, node: ast.AnnAssign) -> Doc:
        """`target: annotation`, with or without a value."""
        start = (self.format(node.target, OUTSIDE), ": ")
        if node.value is None:
            return (*start, self.last_expression(node.annotation, node))
        if is_splittable(self.source, node.annotation):
            return (*start, self.right_to_left(node.annotation, " = ", node.value, node))
        annotation = self.bare(node.annotation, OUTSIDE)
        return (*start, annotation, " = ", self.last_expression(node.value, node))

    def is_bracketed(self, target: ast.expr) -> bool:
        """Whether a target can break in brackets of its own, or gets some as a tuple."""
        return isinstance(target, ast.Tuple) or own_brackets(self.source, target) is not None

    def target_doc(self, target: ast.expr) -> Doc:
        """The last target, in parentheses if it breaks and has no brackets to break in."""
        if self.is_bracketed(target) or self.hangs_on_brackets(target):
            return self.bare(target, OUTSIDE)
        if may_omit_parentheses(self.source, target):
            return self.optional(lambda level: self.bare(target, level))
        return if_expands(self.bare(target, INSIDE))

    def hangs_on_brackets(self, target: ast.expr) -> bool:
        """Whether there are brackets to break in further inside a target."""
        match target:
            case ast.Attribute(value=inner):
                return has_brackets(self.source, inner) is not None or self.hangs_on_brackets(inner)
            case ast.Call():
                return bool(target.args or target.keywords)
            case _:
                return isinstance(target, ast.Subscript)

    def last_expression(self, value: ast.expr, statement: ast.stmt) -> Doc:
        """The value of a statement whose left side cannot break."""
        if not is_atom(value):
            return self.maybe_parenthesize(value, statement)
        comment = self.take_comment()

        def content(level: Level) -> Doc:
            return (self.bare(value, level), IfBroken(comment))

        doc = self.to_fit(content)
        return (doc, IfBroken("", comment, doc.id)) if comment else doc

    def right_to_left(
        self, target: ast.expr, operator: str, value: ast.expr, statement: ast.stmt
    ) -> Doc:
        """A value that is broken or parenthesised before `target` is broken."""
        left = (self.target_doc(target), operator)
        chained = isinstance(value, ast.Call | ast.Attribute | ast.Subscript)
        chained = chained and need(self.source, value, statement) is Need.BEST_FIT
        if not chained and not is_atom(value):
            return (*left, self.maybe_parenthesize(value, statement))
        comment = self.take_comment() if is_atom(value) else ""
        doc = self.bare(value, OUTSIDE)
        flat = (*left, doc, comment)
        if forces_break(left):
            return flat
        parenthesized = (*left, "(", Group(block((doc, comment)), expand=True), ")")
        broken = (*left, Group(doc, expand=True))
        return BestFit((flat, *([broken] if chained else []), parenthesized, flat))


def is_atom(value: ast.expr) -> bool:
    """Whether `value` has no place to break."""
    return isinstance(value, ast.Name | ast.Constant | ast.JoinedStr)
