"""Command lines that a reader can repeat."""

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from compiler.passes.cost_lengths import letters_said
from compiler.passes.setting import CHOICES, USUAL
from compiler.report.page.sheet import ALONE, Sheet

if TYPE_CHECKING:
    from compiler.report.page.view import View


def command(views: "Sequence[View]", base: str = "") -> str:
    """What writes a page of these specs."""
    asked: dict[str, int] = {}
    for view in views:
        asked |= view.report.asked
    at = ",".join(f"{letter}={size}" for letter, size in asked.items())
    words = ["archc report", *(quote(view.report.path or "-") for view in views)]
    words += [f"--base {quote(base)}"] if base else []
    return " ".join([*words, *options(views[0].sheet, at)])


def counting(sheet: Sheet) -> str:
    """What counts one spec in a terminal as its part of the page is counted."""
    report = sheet.report
    words = ["archc cost", quote(report.path or "-")]
    return " ".join([*words, *options(sheet, letters_said(report.costs, report.at))])


def options(sheet: Sheet, at: str) -> list[str]:
    """Lengths, what is not as usual in the setting, devices, limits and patches."""
    report, there = sheet.report, sheet.there
    found = [f"--at {at}"] if at else []
    for name in CHOICES:
        chosen = getattr(report.setting, name)
        found += [f"--{name} {chosen}"] if chosen != getattr(USUAL, name) else []
    found.append(f"--device {quote(there.device.said or there.device.name)}")
    found += [f"--assume {quote(there.assume.said)}"] if there.assume.said else []
    found += [f"--parallel {sheet.degrees}"] if sheet.degrees != ALONE else []
    found += [f"--budget {quote(file)}" for file in report.budgets]
    return [*found, *(f"--set {quote(patch)}" for patch in report.settings)]
