"""Devices out of YAML: what a file says, or what is wrong with it and where."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from archspec.source.compose import compose
from archspec.source.decode import decode
from archspec.source.diagnostic import SpecError
from archspec.source.report import Report
from archspec.source.shown import shown
from archspec.source.span import Span
from archspec.source.suggest import did_you_mean, listed
from archspec.source.tree import Entry, Scalar, Sequence, Table, Tree, described
from compiler.report.device.device import GB, GIB, TERA, Device

PRECISIONS: Final = ("fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp4")
NEEDED: Final = {"memory_gib": GIB, "bandwidth_gb_s": GB}
NUMBERS: Final = {**NEEDED, "link_gb_s": GB, "power_w": 1}
RATES: Final = ("tflops", "achieved_tflops")
WORDS: Final = ("title", "source", "date", "beware")
NAME: Final = re.compile(r"[^\s`]{1,64}")
KEYS: Final = (*NUMBERS, *RATES, *WORDS, "also", "dense")
NOUN: Final = "file of devices"
SAYS: Final = "a device has `memory_gib`, `bandwidth_gb_s` and `tflops: {bf16: …}`"


def read_devices(data: bytes, file: str) -> tuple[Device, ...]:
    """The devices that a file describes. Raises SpecError with everything that is wrong with it."""
    report = Report()
    tree = _tree(data, file, report)
    found = list(_devices(tree, report)) if tree is not None else []
    if report.diagnostics:
        raise SpecError(report.diagnostics)
    return tuple(found)


def _tree(data: bytes, file: str, report: Report) -> Table | None:
    text = decode(data, file, NOUN, report)
    tree = None if text is None else compose(text, file, report, NOUN)
    report.diagnostics[:] = [replace(found, code="AR0951") for found in report.diagnostics]
    return tree


def _devices(tree: Table, report: Report) -> Iterator[Device]:
    top = tree.get("devices")
    if not isinstance(top, Table) or not top.entries:
        where = tree.span if top is None else top.span
        report.error(
            "AR0951", "no devices here", _first(where), "`devices:` holds them by name", help=SAYS
        )
        return
    for key, entry in tree:
        if key != "devices":
            report.error("AR0952", f"unknown key `{key}`", entry.key, "only `devices` stands here")
    taken: set[str] = set()
    for name, entry in top:
        if not (NAME.fullmatch(name) and name.isprintable()):
            report.error("AR0952", "this cannot name a device", entry.key, "a word without spaces")
            continue
        found = _device(name, entry, report)
        if found is None:
            continue
        for each in dict.fromkeys((found.name, *found.also)):
            if each in taken:
                report.error("AR0952", f"`{each}` names two devices", entry.key, "the second")
            taken.add(each)
        yield found


def _device(name: str, entry: Entry, report: Report) -> Device | None:
    tree, before = entry.value, len(report.diagnostics)
    if not isinstance(tree, Table):
        report.error(
            "AR0952", f"`{name}` is no device", _first(tree.span), described(tree), help=SAYS
        )
        return None
    for key, each in tree:
        if key not in KEYS:
            hint = did_you_mean(key, KEYS) or f"there are {listed(KEYS, 'and')}"
            report.error("AR0952", f"unknown key `{key}`", each.key, hint)
    for key in (*NEEDED, "tflops"):
        if key not in tree:
            report.error("AR0952", f"`{name}` has no `{key}`", entry.key, "it is needed", help=SAYS)
    numbers = {key: _number(tree.get(key), key, unit, report) for key, unit in NUMBERS.items()}
    rates, achieved = (_rates(tree.get(key), key, report) for key in RATES)
    _reached(tree.get(RATES[1]), achieved, rates, report)
    words = {key: _word(tree.get(key), key, report) for key in WORDS}
    also = _names(tree.get("also"), report)
    _dense(tree.get("dense"), report)
    if len(report.diagnostics) > before:
        return None
    return Device(
        name=name,
        title=words["title"] or name,
        memory=numbers["memory_gib"],
        bandwidth=numbers["bandwidth_gb_s"],
        rates=rates,
        achieved=achieved,
        link=numbers["link_gb_s"],
        power=numbers["power_w"],
        also=also,
        source=words["source"],
        date=words["date"],
        beware=words["beware"],
    )


def _number(tree: Tree | None, key: str, unit: int, report: Report) -> int:
    """A positive number of units, as a whole number of bytes, FLOPs or watts; 0 for none."""
    if tree is None:
        return 0
    try:
        found = Decimal(tree.text if isinstance(tree, Scalar) and tree.plain else "")
    except InvalidOperation:
        found = Decimal(0)
    if not found.is_finite() or not 0 < found < 10**9 or int(found * unit) < 1:
        report.error(
            "AR0952", f"`{key}` is a number above 0", _first(tree.span), f"not {described(tree)}"
        )
        return 0
    return int(found * unit)


def _rates(tree: Tree | None, key: str, report: Report) -> dict[str, int]:
    if tree is None:
        return {}
    if not isinstance(tree, Table) or not tree.entries:
        label = f"not {described(tree)}"
        report.error("AR0952", f"`{key}` has a rate by precision", _first(tree.span), label)
        return {}
    found = {}
    for name, entry in tree:
        if name not in PRECISIONS:
            hint = did_you_mean(name, PRECISIONS) or f"there are {listed(PRECISIONS, 'and')}"
            report.error("AR0952", f"no precision is called `{name}`", entry.key, hint)
        found[name] = _number(entry.value, name, TERA, report)
    return found


def _reached(
    tree: Tree | None, achieved: Mapping[str, int], rates: Mapping[str, int], report: Report
) -> None:
    """What was measured is a share of a rate: there is one, and it is no less."""
    for name, entry in tree if isinstance(tree, Table) else ():
        if not 0 < achieved.get(name, 0) <= rates.get(name, 0):
            label = "more than its rate" if name in rates else "`tflops` has no rate of it"
            message = f"`{name}` cannot be achieved"
            report.error("AR0952", message, _first(entry.value.span), label)


def _word(tree: Tree | None, key: str, report: Report) -> str:
    if tree is None:
        return ""
    if not isinstance(tree, Scalar):
        report.error("AR0952", f"`{key}` is a text", _first(tree.span), f"not {described(tree)}")
        return ""
    return shown(" ".join(tree.text.split()))


def _dense(tree: Tree | None, report: Report) -> None:
    """Rates are dense whether a file says so or not; what it cannot say is that they are not."""
    if tree is not None and not (isinstance(tree, Scalar) and tree.plain and tree.text == "true"):
        hint = "a rate with sparsity is twice the dense one: give that"
        label = f"not {described(tree)}"
        report.error("AR0952", "`dense` can only be `true`", _first(tree.span), label, help=hint)


def _names(tree: Tree | None, report: Report) -> tuple[str, ...]:
    if tree is None:
        return ()
    items: tuple[Any, ...] = tree.items if isinstance(tree, Sequence) else ()
    names = tuple(item.text for item in items if isinstance(item, Scalar) and item.text)
    if not items or len(names) < len(items):
        report.error("AR0952", "`also` is a list of names", _first(tree.span), described(tree))
    return names


def _first(span: Span) -> Span:
    """Of a place of several lines its beginning."""
    if span.line == span.end_line:
        return span
    return Span(span.file, span.line, span.column, span.line, span.column + 1)
