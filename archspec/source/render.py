"""Diagnostics as text, with the lines they speak of."""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.lines import columns, lines_of
from archspec.source.span import Span

WIDTH = 100
COLOURS = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "gutter": "\x1b[1;34m",
    "bold": "\x1b[1m",
}
RESET = "\x1b[0m"


def render(diagnostics: Iterable[Diagnostic], *, colour: bool = False) -> str:
    """The diagnostics one below the other, parted by empty lines, ending in a newline."""
    lines = lru_cache(maxsize=16)(file_lines)
    found = tuple(diagnostics)
    return "\n".join(one(diagnostic, Paint(colour), lines) for diagnostic in found)


def count(diagnostics: Iterable[Diagnostic], specs: int = 1) -> str:
    """ "found 3 errors in 1 spec"."""
    errors = sum(found.severity == "error" for found in diagnostics)
    return f"found {errors} error{'s' * (errors != 1)} in {specs} spec{'s' * (specs != 1)}"


class Paint:
    """Wraps text in terminal colours, or leaves it."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, role: str) -> str:
        return f"{COLOURS[role]}{text}{RESET}" if self.colour and text else text


def file_lines(file: str) -> tuple[str, ...]:
    """A file's lines, or none when it cannot be read."""
    try:
        with Path(file).open("rb") as stream:
            data = stream.read(1 << 20)
    except (OSError, ValueError):
        return ()
    return tuple(lines_of(data.decode("utf-8-sig", "replace")))


def one(found: Diagnostic, paint: Paint, lines: "object") -> str:
    labels = (found.primary, *found.others)
    texts = {label: source_line(label, lines) for label in labels}
    width = max(2, *(len(str(label.span.line)) for label in labels))
    head = paint(f"{found.severity}[{found.code}]", found.severity)
    out = [f"{head}{paint(f': {found.message}', 'bold')}"]
    files = dict.fromkeys(label.span.file for label in labels)
    for number, file in enumerate(files):
        here = [label for label in labels if label.span.file == file]
        out += section(here, texts, width, "-->" if number == 0 else ":::", found, paint)
    if found.help:
        if any(text is not None for text in texts.values()):
            out.append(paint(f"{'':{width}} |", "gutter"))
        out.append(f"{paint('help:', 'bold')} {found.help}")
    return "\n".join(out) + "\n"


def source_line(label: Label, lines: "object") -> str | None:
    if label.line:
        return label.line
    assert callable(lines)
    text = lines(label.span.file) if label.span.file not in ("", "-", "--set") else ()
    return text[label.span.line - 1] if 0 < label.span.line <= len(text) else None


def section(
    labels: list[Label],
    texts: dict[Label, str | None],
    width: int,
    arrow: str,
    found: Diagnostic,
    paint: Paint,
) -> list[str]:
    """The marked lines of one file, in order, with what is said about them."""
    first = labels[0]
    out: list[str] = []
    if texts[first] is None:
        for k, label in enumerate(labels):
            tail = f"      {label.text}" if label.text else ""
            out.append(
                f"{paint(f'{chr(32) * width}{arrow if k == 0 else chr(58) * 3}', 'gutter')}"
                f" {label.span}{tail}"
            )
        return out
    out.append(f"{paint(f'{chr(32) * width}{arrow}', 'gutter')} {first.span}")
    out.append(paint(f"{'':{width}} |", "gutter"))
    previous: int | None = None
    for label in sorted(labels, key=lambda label: (label.span.line, label is not first)):
        text = texts[label]
        if text is None:
            continue
        if previous is not None and label.span.line > previous + 1:
            out.append(paint("...", "gutter"))
        if label.span.line != previous:
            number = paint(f"{label.span.line:>{width}} |", "gutter")
            out.append(f"{number} {clean(excerpt(text, label.span)[0])}".rstrip())
        out.append(marked(label, text, width, label is found.primary, found, paint))
        previous = label.span.line
    return out


def marked(
    label: Label, text: str, width: int, primary: bool, found: Diagnostic, paint: Paint
) -> str:
    span = label.span
    part, shift = excerpt(text, span)
    end = span.end_column if span.end_line == span.line else len(text) + 1
    start = max(span.column - 1 - shift, 0)
    before = f"{clean(part[:start]):{start}}"
    under = clean(part[start : start + max(end - span.column, 0)])
    mark = ("^" if primary else "-") * max(1, columns(under))
    tail = f" {label.text}" if label.text else ""
    role = found.severity if primary else "gutter"
    gutter = paint(f"{'':{width}} |", "gutter")
    return f"{gutter} {' ' * columns(before)}{paint(f'{mark}{tail}', role)}"


def excerpt(text: str, span: Span) -> tuple[str, int]:
    """A line cut to the part around the mark when it is very long, and how much is cut before."""
    if len(text) <= WIDTH + 40:
        return text, 0
    start = max(0, span.column - 1 - WIDTH // 2)
    return text[start : start + WIDTH], start


def clean(text: str) -> str:
    """Tabs as single blanks, control characters as `?`, so that marks stand below their text."""
    return "".join(" " if c == "\t" else c if c.isprintable() else "?" for c in text)
