"""Which expressions get parentheses when they do not fit, and which have brackets of their own."""

import ast
from enum import Enum, auto

from compiler.backends.torch.layout.source import Source


class Need(Enum):
    """What an expression needs to be broken over lines."""

    MULTILINE = auto()
    BEST_FIT = auto()
    NEVER = auto()


DISPLAYS = (ast.List, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


def need(source: Source, node: ast.expr, parent: ast.AST) -> Need:
    """What `node` needs where its statement may add parentheses around it."""
    match node:
        case ast.Name() | ast.Constant() | ast.JoinedStr():
            return Need.BEST_FIT
        case ast.Call(func=inner) | ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return _chain_need(source, node, inner, parent)
        case ast.UnaryOp():
            if source.parenthesized(node.operand):
                return Need.NEVER
            return need(source, node.operand, node)
        case ast.Tuple() | ast.GeneratorExp():
            return Need.NEVER
        case _:
            return Need.NEVER if isinstance(node, DISPLAYS) else Need.MULTILINE


def _chain_need(source: Source, node: ast.expr, inner: ast.expr, parent: ast.AST) -> Need:
    if is_fluent(source, node):
        return Need.MULTILINE
    if source.parenthesized(inner):
        return Need.NEVER
    found = need(source, inner, node)
    match node, parent:
        case ast.Subscript(), ast.FunctionDef() if found is Need.BEST_FIT:
            return Need.NEVER if parameter_count(parent.args) else Need.MULTILINE
    return found


def parameter_count(args: ast.arguments) -> int:
    """Parameters of every kind."""
    positional = len(args.posonlyargs) + len(args.args) + len(args.kwonlyargs)
    return positional + (args.vararg is not None) + (args.kwarg is not None)


def is_fluent(source: Source, node: ast.expr) -> bool:
    """Whether a chain has two calls or subscripts before its last dot: then dots may break."""
    called = 0
    while True:
        match node:
            case ast.Attribute(value=value):
                if source.parenthesized(value):
                    return called >= 1
                called += isinstance(value, ast.Call | ast.Subscript)
                node = value
            case ast.Call(func=value) | ast.Subscript(value=value):
                if source.parenthesized(value):
                    return called >= 2
                node = value
            case _:
                return called >= 2


def has_brackets(source: Source, node: ast.expr) -> bool | None:
    """None without brackets of its own or around it, else whether there is something in them."""
    own = own_brackets(source, node)
    return True if own or source.parenthesized(node) else own


def own_brackets(source: Source, node: ast.expr) -> bool | None:
    """None without brackets of its own, else whether there is something in them."""
    match node:
        case ast.Subscript() | ast.ListComp() | ast.SetComp() | ast.DictComp():
            return True
        case ast.GeneratorExp():
            return True if source.own_parentheses(node) else None
        case ast.List() | ast.Set():
            return bool(node.elts)
        case ast.Tuple():
            return bool(node.elts) if source.own_parentheses(node) else None
        case ast.Dict():
            return bool(node.values)
        case ast.Call():
            return bool(node.args or node.keywords)
        case _:
            return None


def is_splittable(source: Source, node: ast.expr) -> bool:
    """Whether an annotation could be broken over lines at all."""
    match node:
        case ast.Name() | ast.Constant() | ast.JoinedStr():
            return False
        case ast.Attribute(value=inner):
            return source.parenthesized(inner) or is_splittable(source, inner)
        case ast.UnaryOp(operand=inner):
            return is_splittable(source, inner)
        case ast.Call():
            return bool(node.args or node.keywords) or source.parenthesized(node.func)
        case ast.Tuple() | ast.List() | ast.Set():
            return bool(node.elts)
        case _:
            return True
