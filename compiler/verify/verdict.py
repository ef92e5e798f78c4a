"""What a proof comes to: checks with measured figures and bars, and those that were skipped."""

from typing import Any

from archspec.source.frozen import Frozen


class Check(Frozen):
    """One claim about a model.

    Attributes:
        name: a few words, such as `onnx = torch`.
        ok: whether it holds; None where it was not asked.
        measured: the figure that decides, in `unit`.
        bar: what the figure may be at most, or must be where `exact`.
        unit: what both count, such as `absolute` or `FLOP`.
        exact: whether the figure must equal the bar.
        above: whether it must be more than the bar.
        reason: why it does not hold or was not asked, or a remark.
    """

    name: str
    ok: bool | None
    measured: float | int | None = None
    bar: float | int | None = None
    unit: str = ""
    exact: bool = False
    reason: str = ""
    above: bool = False

    def document(self) -> dict[str, Any]:
        """The check for a program."""
        status = "skipped" if self.ok is None else "holds" if self.ok else "fails"
        return {
            "name": self.name,
            "status": status,
            "measured": self.measured,
            "bar": self.bar,
            "exact": self.exact,
            "above": self.above,
            "unit": self.unit,
            "reason": self.reason,
        }

    def line(self, width: int) -> str:
        """The check for a person, its name padded to `width`."""
        word = "skip" if self.ok is None else "ok  " if self.ok else "FAIL"
        pieces = [f"{word}  {self.name:<{width}}", self._figures(), self.reason]
        return "  ".join(piece for piece in pieces if piece).rstrip()

    def _figures(self) -> str:
        if self.measured is None or self.bar is None:
            return ""
        holds, fails = ("=", "≠") if self.exact else (">", "≤") if self.above else ("≤", ">")
        sign = holds if self.ok else fails
        return f"{_number(self.measured)} {sign} {_number(self.bar)} {self.unit}".rstrip()


def at_most(
    name: str, measured: float, bar: float, reason: str = "", unit: str = "absolute"
) -> Check:
    """A check that a figure stays within its bar; what is not a number does not."""
    return Check(name, measured <= bar, measured, bar, unit, reason=reason)


def at_least(
    name: str, measured: float, bar: float, reason: str = "", unit: str = "absolute"
) -> Check:
    """A check that a figure is above its bar."""
    return Check(name, measured > bar, measured, bar, unit, above=True, reason=reason)


def equal(name: str, measured: int, wanted: int, unit: str, reason: str = "") -> Check:
    """A check that two counts are the same."""
    return Check(name, measured == wanted, measured, wanted, unit, exact=True, reason=reason)


def skipped(name: str, reason: str) -> Check:
    """A check that does not apply, and why."""
    return Check(name, None, reason=reason)


def failed(name: str, reason: str) -> Check:
    """A check that came to no figure, and why."""
    return Check(name, False, reason=reason)


class Verdict(Frozen):
    """Everything that was checked about one spec.

    Attributes:
        name: the model's.
        checks: in the order they were made.
        parameters: elements of weights at full size; None where none are counted.
        patches: what made the sibling that was run, as `--set` takes it; empty at full size.
        remark: why it is no smaller or larger one, in a sentence.
    """

    name: str
    checks: tuple[Check, ...]
    parameters: int | None
    patches: tuple[str, ...] = ()
    remark: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing that was asked fails."""
        return all(check.ok is not False for check in self.checks)

    @property
    def parity(self) -> float | None:
        """The largest difference of ONNX Runtime and PyTorch, or None where it was not measured."""
        found = [c.measured for c in self.checks if c.name == PARITY and c.measured is not None]
        return max(found, default=None)

    def text(self) -> str:
        """The verdict for a person, a line a check."""
        width = max((len(check.name) for check in self.checks), default=0)
        lines = [
            f"{self.name}: {self._run()}",
            *(f"  {check.line(width)}" for check in self.checks),
        ]
        failing = sum(check.ok is False for check in self.checks)
        asked = sum(check.ok is not None for check in self.checks)
        fail = f", {failing} {'does' if failing == 1 else 'do'} not" if failing else ""
        lines.append(f"  {asked - failing} of {asked} hold{fail}")
        return "\n".join(lines) + "\n"

    def document(self) -> dict[str, Any]:
        """The verdict for a program."""
        return {
            "name": self.name,
            "ok": self.ok,
            "parameters": self.parameters,
            "sibling": list(self.patches),
            "remark": self.remark,
            "checks": [check.document() for check in self.checks],
        }

    def _run(self) -> str:
        if not self.patches:
            return self.remark or "run at full size"
        said = " ".join(f"--set {patch}" for patch in self.patches)
        return f"{self.remark}\n  {said}"


PARITY = "onnx runtime = torch"


def _number(value: float | int) -> str:
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else f"{value:.2g}"
