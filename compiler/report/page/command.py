"""Command lines that a reader can repeat."""

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING, Final

from compiler.passes.cost_lengths import letters_said
from compiler.passes.setting import USUAL
from compiler.report.costs import CostReport
from compiler.report.device.on_device import OnDevice

if TYPE_CHECKING:
    from compiler.report.page.view import View

CHOSEN: Final = ("precision", "kernel", "recompute", "optimizer")
"""The fields of a setting, which options are called as well."""


def command(views: "Sequence[View]", base: str = "") -> str:
    """What writes a page of these specs."""
    first = views[0].report
    asked: dict[str, int] = {}
    for view in views:
        asked |= view.report.asked
    at = ",".join(f"{letter}={size}" for letter, size in asked.items())
    words = ["archc report", *(quote(view.report.path or "-") for view in views)]
    words += [f"--base {quote(base)}"] if base else []
    return " ".join([*words, *options(first, at, views[0].sheet.there)])


def counting(report: CostReport, there: OnDevice | None = None) -> str:
    """What counts one spec in a terminal as its part of the page is counted."""
    words = ["archc cost", quote(report.path or "-")]
    return " ".join([*words, *options(report, letters_said(report.costs, report.at), there)])


def options(report: CostReport, at: str, there: OnDevice | None = None) -> list[str]:
    """Lengths, what is not as usual in the setting, a device, and patches."""
    found = [f"--at {at}"] if at else []
    for name in CHOSEN:
        chosen = getattr(report.setting, name)
        found += [f"--{name} {chosen}"] if chosen != getattr(USUAL, name) else []
    if there is not None:
        found.append(f"--device {quote(there.device.said or there.device.name)}")
        found += [f"--assume {quote(there.assume.said)}"] if there.assume.said else []
    return [*found, *(f"--set {quote(patch)}" for patch in report.settings)]
