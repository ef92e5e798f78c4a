"""How a scalar is written: plain where that is safe, else quoted, folded or literal."""

import json
import re

from archspec.source.compose import value_of
from archspec.source.span import NOWHERE
from archspec.source.tree import Scalar

INDICATORS = frozenset("-?:,[]{}#&*!|>'\"%@` ")
FLOW_MARKS = re.compile(r"[,\[\]{}]")


def written(scalar: Scalar, flow: bool) -> str:
    """The scalar in one line."""
    if scalar.plain and "\n" not in scalar.text and (not flow or stays_plain_in_flow(scalar.text)):
        return scalar.text
    return scalar.text if is_plain(scalar.text, flow) else quoted(scalar.text)


def stays_plain_in_flow(text: str) -> bool:
    return not FLOW_MARKS.search(text)


def is_plain(text: str, flow: bool) -> bool:
    """Whether a string can stand without quotes and is still a string."""
    if not text or text != text.strip() or not text.isprintable():
        return False
    if text[0] in INDICATORS or ": " in text or " #" in text or text.endswith(":"):
        return False
    if flow and (FLOW_MARKS.search(text) or ":" in text):
        return False
    if text.startswith(("---", "...")):
        return False
    return value_of(Scalar(text, NOWHERE)) == text


def quoted(text: str) -> str:
    return "".join(escaped(character) for character in json.dumps(text, ensure_ascii=False))


def escaped(character: str) -> str:
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def block(text: str, indent: int, width: int) -> list[str] | None:
    """A long or many-lined string as a folded or literal block; None where it must be quoted."""
    lines = text.split("\n")
    body = lines[:-1] if lines[-1] == "" else lines
    if not body or not all(line.isprintable() and line == line.rstrip() for line in body):
        return None
    if body[0].startswith(" ") or not body[0] or not body[-1]:
        return None
    if len(lines) == 1:
        return [">-", *folded(text, indent, width)]
    pad = " " * indent
    mark = "|" if lines[-1] == "" else "|-"
    return [mark, *(f"{pad}{line}".rstrip() for line in body)]


def folded(text: str, indent: int, width: int) -> list[str]:
    """Wrapped at single blanks, which folding gives back."""
    pad = " " * indent
    pieces = re.split(r"(?<=\S) (?=\S)", text)
    lines = [pieces[0]]
    for piece in pieces[1:]:
        if len(pad) + len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(piece)
    return [f"{pad}{line}" for line in lines]
