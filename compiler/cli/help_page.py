"""A command's help page: usage, prose, then aligned columns that read the same without colour."""

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cyclopts.help import HelpEntry, HelpPanel
    from rich.console import Console, ConsoleOptions

INDENT = "  "
COLUMN = 22


class HelpPage:
    """Renders cyclopts' panels; wraps to the console's width, at most 100 columns."""

    def __call__(self, console: "Console", options: "ConsoleOptions", panel: "HelpPanel") -> None:
        if not panel.entries:
            return
        width = min(options.max_width, 100)
        lines = [f"{panel.title}:"]
        for entry in panel.entries:
            lines += _entry_lines(entry, width)
        _print(console, "\n".join(lines) + "\n")

    def render_usage(self, console: "Console", options: "ConsoleOptions", usage: Any) -> None:
        """Print the usage line."""
        _print(console, _plain(usage).strip() + "\n")

    def render_description(
        self, console: "Console", options: "ConsoleOptions", description: Any
    ) -> None:
        """Print the command's prose; a line indented by the writer stays as it stands."""
        _print(console, _plain(description).strip() + "\n")


def _entry_lines(entry: "HelpEntry", width: int) -> list[str]:
    label = INDENT + ", ".join(_labels(entry))
    said = _description(entry)
    body = textwrap.wrap(said, max(width - COLUMN - 2, 20), break_on_hyphens=False) or [""]
    if len(label) > COLUMN:
        return [label, *(" " * (COLUMN + 2) + line for line in body)]
    first = f"{label:<{COLUMN}}  {body[0]}".rstrip()
    return [first, *(" " * (COLUMN + 2) + line for line in body[1:])]


def _labels(entry: "HelpEntry") -> list[str]:
    if entry.positional_label:
        return [entry.positional_label]
    names = [*entry.positive_shorts, *entry.positive_names]
    if entry.metavar and names:
        names[-1] += f" {entry.metavar.removesuffix('...')}"
    return names


def _description(entry: "HelpEntry") -> str:
    """The sentence, with the choices and the default in parentheses before its full stop."""
    said = " ".join(_plain(entry.description).split())
    facts = [" | ".join(entry.choices)] if entry.choices else []
    if entry.default and entry.default != '""':
        facts.append(f"default {entry.default}")
    return f"{said.removesuffix('.')} ({'; '.join(facts)})." if facts else said


def _plain(piece: Any) -> str:
    """The bare text of what cyclopts hands over: a string, a rich text or a wrapper of one."""
    if piece is None:
        return ""
    inner = getattr(piece, "primary_renderable", piece)
    return str(getattr(inner, "plain", inner))


def _print(console: "Console", text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)
