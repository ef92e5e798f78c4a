"""What reading a spec finds out: everything wrong with it, and where each value was written."""

from dataclasses import dataclass, field
from typing import Literal

from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.fault import Fault
from archspec.source.shown import shown
from archspec.source.span import Span
from archspec.source.tree import Scalar

MAX_ERRORS = 100
Origin = Literal["written", "defaults", "default"]


@dataclass(frozen=True)
class Mark:
    """Where a resolved value comes from: written there, inherited from `defaults:`, or our own."""

    origin: Origin
    span: Span
    said: str = ""


@dataclass
class Report:
    """Collects diagnostics and marks; a place is marked once, the first mark stays.

    After `MAX_ERRORS` findings no more are kept: whoever has so many has one cause.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
    known: set[Diagnostic] = field(default_factory=set)

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        others: tuple[tuple[Span, str], ...] = (),
        help: str = "",
    ) -> None:
        found = Diagnostic(
            code,
            shown(message),
            Label(span, shown(label)),
            tuple(Label(place, shown(text)) for place, text in others),
            shown(help),
        )
        if found not in self.known and len(self.diagnostics) < MAX_ERRORS:
            self.known.add(found)
            self.diagnostics.append(found)

    def fault(self, fault: Fault, span: Span) -> None:
        """Report a refused value that stands at `span`."""
        if fault.silent:
            return
        if fault.start is not None and fault.stop is not None:
            span = span.part(fault.start, fault.stop)
        self.error(fault.code, fault.message, span, fault.label, help=fault.help)

    def scalar_fault(self, fault: Fault, scalar: Scalar) -> None:
        """As `fault`; a quoted scalar is marked as a whole, its columns are not the value's."""
        if not scalar.plain:
            fault.start = fault.stop = None
        self.fault(fault, scalar.span)

    def mark(self, path: str, origin: Origin, span: Span, said: str = "") -> None:
        self.marks.setdefault(path, Mark(origin, span, said))

    def place(self, path: str, otherwise: Span) -> Span:
        """Where a value was written; `otherwise` of one that is not marked."""
        mark = self.marks.get(path)
        return otherwise if mark is None else mark.span
