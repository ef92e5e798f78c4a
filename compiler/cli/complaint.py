"""What to say when a command line cannot be parsed."""

import re

from cyclopts import CycloptsError, UnknownCommandError, UnusedCliTokensError

from compiler.cli.table import COMMANDS


def usage_complaint(error: CycloptsError) -> tuple[str, str]:
    """The message and the help line for a parser's error, in the style of the diagnostics."""
    if isinstance(error, UnknownCommandError):
        return _unknown_command(error)
    if isinstance(error, UnusedCliTokensError):
        return f"`{(error.unused_tokens or [''])[0]}` is one argument too many", ""
    said = re.sub(r'"([^"]*)"', r"`\1`", str(error)).strip()
    said = re.sub(r"(?<![`\w-])(--?[a-z][\w-]*)", r"`\1`", said)
    first, _, rest = said.partition(". ")
    first = first.rstrip(".")
    message = first[:1].lower() + first[1:]
    return message, (rest[:1].lower() + rest[1:]).rstrip(".") if rest else ""


def _unknown_command(error: UnknownCommandError) -> tuple[str, str]:
    from archspec.source.suggest import did_you_mean

    word = (error.unused_tokens or [""])[0]
    help_line = did_you_mean(word, COMMANDS) or "`archc --help` lists the commands"
    return f"unknown command `{word}`", help_line
