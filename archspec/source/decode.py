"""Bytes of a file to the text in them."""

from archspec.source.compose import MAX_BYTES
from archspec.source.lines import lines_of
from archspec.source.report import Report
from archspec.source.span import Span


def decode(data: bytes, shown: str, what: str, report: Report) -> str | None:
    """The text, or None with AR0005 for what is too large or AR0002 at what is not UTF-8."""
    if len(data) > MAX_BYTES:
        label = f"more than {MAX_BYTES // 1024} KiB"
        report.error("AR0005", f"the {what} is too large", Span(shown, 1, 1, 1, 2), label)
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = lines_of(data[: error.start].decode("utf-8-sig", "replace") + ".")
        line, column = len(before), len(before[-1])
        place = Span(shown, line, column, line, column + 1)
        report.error("AR0002", "not a text file", place, "this is not UTF-8")
        return None
