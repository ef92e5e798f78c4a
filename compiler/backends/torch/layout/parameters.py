"""The parameters of a function with their annotations and defaults."""

import ast

from compiler.backends.torch.layout.context import INSIDE, Context, comma_separated
from compiler.backends.torch.layout.doc import Doc, block, group


def parameters(context: Context, args: ast.arguments) -> Doc:
    """Parameters in parentheses: on one line, on a line of their own, or one a line."""
    items = _items(context, args)
    if not items:
        return "()"
    closing = next(
        close
        for open_, close in sorted(context.source.partners.items())
        if context.source.tokens[open_].string == "("
    )
    comma = context.source.tokens[closing - 1].string == ","
    docs = comma_separated(items, comma, always=True)
    return ("(", block(docs if len(items) == 1 else group(docs)), ")")


def _items(context: Context, args: ast.arguments) -> list[Doc]:
    positional = [*args.posonlyargs, *args.args]
    missing = [None] * (len(positional) - len(args.defaults))
    pairs = list(zip(positional, [*missing, *args.defaults], strict=True))
    slash = len(args.posonlyargs)
    items = [_item(context, arg, default) for arg, default in pairs]
    if slash:
        items.insert(slash, "/")
    if args.vararg is not None:
        items.append(("*", _item(context, args.vararg, None)))
    elif args.kwonlyargs:
        items.append("*")
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        items.append(_item(context, arg, default))
    if args.kwarg is not None:
        items.append(("**", _item(context, args.kwarg, None)))
    return items


def _item(context: Context, arg: ast.arg, default: ast.expr | None) -> Doc:
    docs: list[Doc] = [arg.arg]
    if arg.annotation is not None:
        docs += [": ", context.format(arg.annotation, INSIDE)]
    if default is not None:
        equals = "=" if arg.annotation is None else " = "
        docs += [equals, context.format(default, INSIDE)]
    return tuple(docs)
