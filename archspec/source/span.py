"""A place in a source file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """Half-open stretch of text; lines and columns count from 1, `end_column` is one past the last.

    `file` is the path as it was given, `""` for a spec that came as a mapping and `"--set"` for
    the command line's patches (there `line` is the number of the patch).
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        return f"{self.file or 'spec'}:{self.line}:{self.column}"

    def part(self, start: int, stop: int) -> "Span":
        """The characters `start` to `stop` of this span; the whole if it covers several lines."""
        if self.line != self.end_line or stop > self.end_column - self.column:
            return self
        return Span(self.file, self.line, self.column + start, self.line, self.column + stop)


NOWHERE = Span("", 1, 1, 1, 1)
