"""What is wrong with an option of the command line, with the place in its text."""

from archspec.source.diagnostic import Diagnostic, Label, SpecError
from archspec.source.span import Span


def problem(
    code: str, message: str, said: tuple[str, str], label: str, help_: str = ""
) -> SpecError:
    """An error about an option; `said` is the option and its text."""
    option, text = said
    place = Span(option, 1, 1, 1, max(len(text), 1) + 1)
    return SpecError([Diagnostic(code, message, Label(place, label, text or " "), help=help_)])
