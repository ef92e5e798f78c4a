"""The command-line parser; a command's module is imported when it is called."""

import re
from itertools import pairwise
from typing import Final, cast

from cyclopts import App, Group

from compiler import __version__
from compiler.answer import CannotAnswer
from compiler.cli.help_page import HelpPage
from compiler.cli.sources import DASH
from compiler.cli.table import COMMANDS

EMPTY: Final = re.compile(r"--[a-z-]+=")
"""An option that an empty text is assigned to."""


def make_app() -> App:
    """The parser with every command registered by name only."""
    parser = App(
        name="archc",
        version=f"archc {__version__}",
        version_flags=[],
        help_formatter=HelpPage(),
        help_format="plaintext",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
        group_arguments=Group("Arguments"),
        group_parameters=Group("Options"),
    )
    for command in COMMANDS.values():
        parser.command(command.target, name=command.name, usage=command.usage)
    return parser


def app(arguments: list[str]) -> int:
    """Parse and call; returns the command's exit code. Raises CannotAnswer."""
    for before, word in pairwise([*arguments, "."]):
        if (before.startswith("-") and word == "") or EMPTY.fullmatch(before):
            message = f"nothing is given for `{before.rstrip('=')}`"
            raise CannotAnswer(message, "leave the option out, or say something")
    return cast(int, make_app()([DASH if word == "-" else word for word in arguments]))
