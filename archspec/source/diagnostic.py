"""What is wrong with a spec and where, as a value."""

from collections.abc import Iterable
from typing import Literal

from archspec.source.frozen import Frozen
from archspec.source.span import Span


class Label(Frozen):
    """A marked place and what is to be said there.

    `line` is the text of the place's first line where no file holds it (`--set`, standard input, a
    mapping); empty means that the file is read when the diagnostic is printed.
    """

    span: Span
    text: str
    line: str = ""


class Diagnostic(Frozen):
    """One finding: a code with a page, one sentence, the place, the other end of a conflict."""

    code: str
    message: str
    primary: Label
    others: tuple[Label, ...] = ()
    help: str = ""
    severity: Literal["error", "warning"] = "error"


class SpecError(Exception):
    """A spec that cannot be used; `str()` is the rendered diagnostics."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        from archspec.source.render import render

        return render(self.diagnostics)


def exit_status(diagnostics: Iterable[Diagnostic]) -> int:
    """0 without errors, 1 when the spec's text is wrong, 2 when the question could not be answered.

    Not answerable are a file that cannot be read (AR0001), anything on the command line (AR09xx)
    and whatever is wrong inside a `--set` patch.
    """
    errors = [found for found in diagnostics if found.severity == "error"]
    unanswered = any(
        found.code == "AR0001"
        or found.code.startswith("AR09")
        or found.primary.span.file == "--set"
        for found in errors
    )
    return 2 if unanswered else int(bool(errors))
