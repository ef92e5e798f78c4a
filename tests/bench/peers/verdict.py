"""What is promised beside what was found, and the tables that say so."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """A promise: what was found is `least` or more, or `most` or less."""

    about: str
    found: float
    least: float | None = None
    most: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it is kept."""
        above = self.least is None or self.found >= self.least
        return above and (self.most is None or self.found <= self.most)

    def row(self) -> tuple[str, ...]:
        """What, the figure, the bar, the verdict."""
        bar = f"≥ {self.least:g}" if self.most is None else f"≤ {self.most:g}"
        return (self.about, f"{self.found:.2f}", bar, "holds" if self.holds else "missed")


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown with columns as wide as their cells; all but the first to the right."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [
        [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        for row in (head, rule, *rows)
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
