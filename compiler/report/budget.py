"""Verdicts on the limits that are set on costs."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from archspec.model.budget import Limit
from archspec.source.diagnostic import Diagnostic, Label
from archspec.source.frozen import Frozen
from archspec.source.number import Sized
from compiler.ir.size import Poly
from compiler.passes.metrics import METRICS
from compiler.passes.setting import Precision, Setting
from compiler.report.formula import formula, with_numbers
from compiler.report.numbers import in_unit, memory

if TYPE_CHECKING:
    from compiler.report.device.device import Device


class Verdict(Frozen):
    """One limit, and what the costs are where it is set.

    Attributes:
        said: the key of the limit.
        at: the lengths it is judged at, as the command line takes them.
        most: what the limit comes to.
        size: the formula of the metric; `sizes` has all of its letters.
        device: what it has to fit on, where the limit says so, less `reserve` bytes.
    """

    said: str
    limit: Limit
    at: str
    setting: Setting
    most: int | float
    value: int
    size: Poly
    sizes: Mapping[str, int]
    device: "Device | None" = None
    reserve: int = 0

    @property
    def ok(self) -> bool:
        """Whether the limit holds."""
        return self.value <= self.most

    @property
    def precision(self) -> Precision:
        """The type that bytes are counted in."""
        return self.setting.precision

    @property
    def unit(self) -> str:
        """The unit of the metric."""
        return METRICS[self.limit.metric].unit

    def finding(self) -> str:
        """What was measured against what, in words."""
        relation = "within" if self.ok else "over"
        found, limit = in_unit(self.value, self.unit), self.allowed()
        if self.device is None:
            return f"`{self.said}` is {found}, {relation} its limit of {limit}"
        room = f"{memory(self.device.memory)} less {memory(self.reserve)} kept back"
        return f"`{self.said}` is {found}, {relation} the room of {limit}: {room}"

    def allowed(self) -> str:
        """The limit with its unit, and as it is written where that reads otherwise."""
        shown, limit = in_unit(int(self.most), self.unit), self.limit.limit
        written = limit.said.strip() if isinstance(limit, Sized) else str(limit)
        return shown if self.device or written == shown else f"{shown} (`{written}`)"

    def worked(self) -> str:
        """The formula, and the same with its numbers."""
        return f"{formula(self.size)} = {with_numbers(self.size, self.sizes)}"

    def sentence(self) -> str:
        """What was measured against what, with the formula and its numbers."""
        return f"{self.finding()}: {self.worked()}"

    def document(self) -> dict[str, object]:
        """For a program."""
        return {
            "key": self.said,
            "metric": self.limit.metric,
            "at": self.at,
            "precision": self.precision,
            "setting": self.setting.document(),
            "device": self.device.name if self.device else None,
            "limit": self.most,
            "value": self.value,
            "unit": self.unit,
            "ok": self.ok,
            "formula": formula(self.size),
            "file": self.limit.span.file,
            "line": self.limit.span.line,
        }


def broken(verdicts: tuple[Verdict, ...]) -> Iterator[Diagnostic]:
    """An error for every limit that does not hold."""
    return (_over(verdict) for verdict in verdicts if not verdict.ok)


def _over(verdict: Verdict) -> Diagnostic:
    found, most = in_unit(verdict.value, verdict.unit), verdict.allowed()
    where = f" at {verdict.at}" if verdict.at else ""
    on = f" on {verdict.device.title}" if verdict.device else ""
    label = f"{found} are over {most}"
    if verdict.device:
        label += f", {memory(verdict.device.memory)} less {memory(verdict.reserve)} kept back"
    return Diagnostic(
        "AR0810",
        f"`{verdict.limit.metric}` is over budget{where}{on}",
        Label(verdict.limit.span, label),
        help=f"it is {verdict.worked()}",
    )
