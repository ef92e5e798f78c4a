"""The layout of generated Python: logical lines as `ruff format --line-length 100` writes them."""

import ast
from collections.abc import Iterable

from compiler.backends.torch.layout.doc import Doc, Suffix
from compiler.backends.torch.layout.header import Block
from compiler.backends.torch.layout.literal import docstring, number, text
from compiler.backends.torch.layout.printer import INDENT, Printer
from compiler.backends.torch.layout.source import Source, check_line
from compiler.backends.torch.layout.statement import Statements

__all__ = ["docstring", "lay", "lay_block", "number", "text"]

FIXED = ("else:", "try:", "finally:")
PRAGMAS = ("noqa", "type:", "pyright:", "pylint:", "flake8:", "ruff:", "isort:", "nosec")


def lay(line: str, depth: int = 0, comment: str = "") -> list[str]:
    """The physical lines of one logical `line` that stands `depth` levels deep.

    `line` is a statement, the header of a block (`for i in x:`), a decorator, a comment or empty;
    it may end in a comment, or `comment` is one, with or without its `#`. Spaces are made regular,
    literals stay as they are, and a trailing comma in brackets puts one element on each line. The
    meaning never changes. Raises ValueError where `line` is not one whole logical line of
    printable ASCII, or of a kind that generated code does not use (`lambda`, `yield`, `except`, …).
    """
    source = Source.read(line.strip())
    comment = _comment(comment) or _comment(source.comment)
    if not source.tokens:
        return [(" " * INDENT * depth + comment).rstrip()]
    suffix = Suffix(f"  {comment}", 0 if _is_pragma(comment) else len(comment) + 2)
    return Printer(depth).print(_document(source, suffix if comment else None))


def lay_block(lines: Iterable[tuple[int, str]]) -> str:
    """Logical lines with their depths as the text of a file; blank lines are the caller's.

    The lines of a docstring, from the one that starts with three quotes to the one that ends with
    them, are indented and otherwise left as they are.
    """
    out: list[str] = []
    in_docstring = False
    for depth, line in lines:
        opens = line.startswith('"""') and not in_docstring
        if not (opens or in_docstring):
            out += lay(line, depth)
            continue
        out.append((" " * INDENT * depth + line).rstrip())
        in_docstring = not line[3 if opens else 0 :].endswith('"""')
    return "\n".join(out) + "\n"


def _comment(comment: str) -> str:
    check_line(comment)
    body = comment.strip().removeprefix("#").strip()
    return f"# {body}" if body else ""


def _is_pragma(comment: str) -> bool:
    return comment.removeprefix("# ").startswith(PRAGMAS)


def _document(source: Source, suffix: Suffix | None) -> Doc:
    prefix, rest = _split_prefix(source.line)
    if (word := rest.replace(" ", "")) in FIXED:
        return (word, suffix or "")
    if prefix:
        source = Source.read(rest)
    statement = _parse(rest)
    writer = Statements(source, suffix)
    doc = writer.statement(statement)
    return (prefix, doc, writer.take_comment())


def _split_prefix(line: str) -> tuple[str, str]:
    """A decorator's or an `elif`'s first letters, and the rest, which parses alone."""
    for prefix, word in (("@", "@"), ("el", "elif ")):
        if line.startswith(word):
            return prefix, line[len(prefix) :]
    return "", line


def _parse(line: str) -> ast.stmt:
    body = " pass" if line.endswith(":") else ""
    try:
        statements = ast.parse(line + body).body
    except SyntaxError as error:
        raise ValueError(f"not a statement: {line!r}") from error
    if len(statements) != 1 or (isinstance(statements[0], Block) and not body):
        raise ValueError(f"not one logical line: {line!r}")
    return statements[0]
