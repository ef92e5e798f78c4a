"""Whose bug an unexpected exception is: archc's own, or that of a package that adds to it."""

from collections.abc import Iterator
from importlib.metadata import entry_points
from types import TracebackType

GROUPS = ("archspec.components", "archspec.lowerings", "archspec.operators")


def culprit(error: BaseException) -> str:
    """Name and version of the extension whose code ran when `error` came up; empty for our own."""
    owners = {
        point.module.partition(".")[0]: f"{point.dist.name} {point.dist.version}"
        for group in GROUPS
        for point in entry_points(group=group)
        if point.dist is not None
    }
    return next((owners[top] for top in _packages(error.__traceback__) if top in owners), "")


def _packages(trace: TracebackType | None) -> Iterator[str]:
    """The top packages of the modules that an exception passed through."""
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0]
        trace = trace.tb_next
