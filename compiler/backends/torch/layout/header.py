"""The headers of blocks up to their colon: functions, classes, loops, conditions and contexts."""

import ast
from typing import TypeAlias

from compiler.backends.torch.layout.assignment import Assignments
from compiler.backends.torch.layout.chain import arguments
from compiler.backends.torch.layout.context import (
    INSIDE,
    OUTSIDE,
    Level,
    comma_separated,
    if_expands,
)
from compiler.backends.torch.layout.display import elements
from compiler.backends.torch.layout.doc import Doc, group
from compiler.backends.torch.layout.expression import Parenthesize
from compiler.backends.torch.layout.parameters import parameters
from compiler.backends.torch.layout.parentheses import parameter_count
from compiler.backends.torch.layout.survey import may_omit_parentheses

Block: TypeAlias = ast.FunctionDef | ast.ClassDef | ast.For | ast.With | ast.If | ast.While


class Headers(Assignments):
    """The header of a block as a document."""

    def header(self, node: Block) -> Doc:
        """The header with its colon; the body is not looked at."""
        match node:
            case ast.FunctionDef():
                doc = self.signature(node)
            case ast.ClassDef():
                bases = arguments(self, node, OUTSIDE) if node.bases or node.keywords else ""
                doc = (f"class {node.name}", bases)
            case ast.For():
                iterable = self.maybe_parenthesize(node.iter, node)
                doc = ("for ", self.loop_target(node), " in ", iterable)
            case ast.With():
                doc = ("with ", self.managers(node))
            case ast.If():
                doc = ("if ", self.maybe_parenthesize(node.test, node))
            case ast.While():
                doc = ("while ", self.maybe_parenthesize(node.test, node))
        return (doc, ":")

    def signature(self, node: ast.FunctionDef) -> Doc:
        """Parameters, and the type of what is returned."""
        docs: list[Doc] = [parameters(self, node.args)]
        if node.returns is not None:
            some = parameter_count(node.args) > 0
            when = Parenthesize.IF_BREAKS if some else Parenthesize.IF_BREAKS_ALWAYS
            docs += [" -> ", self.maybe_parenthesize(node.returns, node, when)]
        return (f"def {node.name}", group(tuple(docs)))

    def loop_target(self, node: ast.For) -> Doc:
        """What a loop assigns to."""
        target = node.target
        if isinstance(target, ast.Tuple) and len(target.elts) > 1:
            return self.optional(lambda level: elements(self, target, level))
        return self.maybe_parenthesize(target, node)

    def managers(self, node: ast.With) -> Doc:
        """The context managers of a `with`, with the names they are bound to."""
        if len(node.items) > 1:
            items = [self.manager(item, INSIDE) for item in node.items]
            return if_expands(comma_separated(items, False, always=True))
        only = node.items[0]
        if only.optional_vars is None:
            return self.maybe_parenthesize(only.context_expr, node)
        if may_omit_parentheses(self.source, only.context_expr):
            return self.optional(lambda level: self.manager(only, level))
        return if_expands(self.manager(only, INSIDE))

    def manager(self, item: ast.withitem, level: Level) -> Doc:
        """One context manager."""
        doc = self.format(item.context_expr, level)
        if item.optional_vars is None:
            return doc
        return (doc, " as ", self.format(item.optional_vars, level))
