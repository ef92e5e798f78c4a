"""`budget:`, limits on what a cost report counts."""

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from archspec.components.fields import number, whole
from archspec.components.written import plain
from archspec.source.compose import first_line
from archspec.source.expression import Scope
from archspec.source.fault import Fault
from archspec.source.frozen import Frozen
from archspec.source.number import Sized
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Scalar, Table, Tree, described, is_word

KEY = re.compile(r"\s*(?P<metric>[a-z][a-z0-9_.]*)\s*(?:@\s*\{(?P<at>[^{}]*)\})?\s*\Z", re.ASCII)
CONDITION = re.compile(r"\s*([A-Za-z]+)\s*[:=]\s*([^,\s]+)\s*\Z")
WORDS = ("device", "reserve", "precision", "target", "kernel", "recompute", "optimizer")
SIZES = ("B", "T", "S", "C", "N")
FITS: Final = "fits"


class Limit(Frozen):
    """`metric` (a key of `archc cost --json`) must not exceed `limit` at the sizes `at`.

    The limit `fits` is what the device of `at` has room for, less the `reserve` there.
    """

    metric: str
    at: Mapping[str, Sized | str]
    limit: Sized | float | Literal["fits"]
    span: Span = field(compare=False)


def read_budget(tree: Tree | None, scope: Scope, report: Report) -> dict[str, Limit]:
    if tree is None:
        return {}
    if not isinstance(tree, Table):
        label = f"this is {described(tree)}"
        report.error("AR0104", "`budget` is a mapping", first_line(tree.span), label)
        return {}
    found: dict[str, Limit] = {}
    for key, entry in tree:
        limit = read_limit(key, entry, scope, report)
        if limit is not None:
            found[key] = limit
    return found


def read_limit(key: str, entry: Entry, scope: Scope, report: Report) -> Limit | None:
    match = KEY.match(key)
    if match is None:
        report.error(
            "AR0801",
            f"`{key}` is no metric",
            entry.key,
            help='write `parameters: 8e9` or `"kv_bytes@{B: 1, T: 8192}": 2**30`',
        )
        return None
    report.mark(f"budget.{key}", "written", entry.value.span)
    at = conditions(match["at"] or "", entry, scope, report)
    if is_word(entry.value, FITS):
        return fitting(match["metric"], at, entry, report)
    try:
        limit = number(plain(entry.value, scope))
        if limit < 0:
            raise Fault("AR0202", "must be at least 0", f"this is {limit:g}")
    except Fault as fault:
        if fault.message.startswith("must "):
            fault.message = f"a limit {fault.message}"
        place = entry.value.span if isinstance(entry.value, Scalar) else entry.key
        report.fault(fault, place)
        return None
    whole_limit = isinstance(limit, int) or limit.is_integer()
    said = entry.value.text if isinstance(entry.value, Scalar) else None
    exact = Sized(int(limit), said) if whole_limit else float(limit)
    return Limit(match["metric"], at, exact, entry.key)


def fitting(
    metric: str, at: Mapping[str, Sized | str], entry: Entry, report: Report
) -> Limit | None:
    """A limit that a device sets."""
    if "device" not in at:
        said = 'name a device in the key, as in `"forward_peak_bytes@{device: h200}": fits`'
        report.error("AR0801", "`fits` is about a device", entry.value.span, "of which?", help=said)
        return None
    return Limit(metric, at, FITS, entry.key)


def conditions(text: str, entry: Entry, scope: Scope, report: Report) -> dict[str, Sized | str]:
    found: dict[str, Sized | str] = {}
    for part in text.split(",") if text.strip() else ():
        match = CONDITION.match(part)
        name = match[1] if match else ""
        if match is None or name not in (*WORDS, *SIZES):
            there = listed((*SIZES, *WORDS))
            label = did_you_mean(name, (*WORDS, *SIZES)) or f"a condition is {there}"
            report.error("AR0801", f"`{part.strip()}` is no condition", entry.key, label)
            continue
        if name in found:
            report.error("AR0801", f"`{name}` is said twice in a key", entry.key, "which of both?")
            continue
        if name in WORDS:
            found[name] = match[2]
            continue
        try:
            from archspec.components.written import Written

            found[name] = whole(Written(match[2], scope), 1)
        except Fault as fault:
            fault.start = fault.stop = None
            if fault.message.startswith("must "):
                fault.message = f"`{name}` {fault.message}"
            report.fault(fault, entry.key)
    return found
