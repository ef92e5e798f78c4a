"""An explanation as text and as a document."""

import inspect
from collections.abc import Iterator, Sequence
from textwrap import dedent, indent
from typing import Any, Final

import compiler.ops
from archspec.source.shown import shown
from compiler.report.explain.explanation import Explanation, Part
from compiler.report.formula import formula, with_numbers
from compiler.report.numbers import grouped, in_unit, share
from compiler.report.table import Table

MOST: Final = 12
"""Parts that are listed, the largest first."""
NUMBERED: Final = ("uses", "elements")
"""Units without prefixes of their own."""


def texts(found: Sequence[Explanation]) -> str:
    """Several numbers for a terminal; what their operator says of itself follows the last."""
    *more, last = found
    return "\n".join([*(text(each, rule=False) for each in more), text(last)])


def text(explained: Explanation, *, rule: bool = True) -> str:
    """Lines for a terminal, the operator's own `rule` among them where there is one operator."""
    report = explained.report
    lines = [f"{_name(explained)} of {shown(report.name)} at {report.counted_at}", ""]
    facts = [
        ("is", f"{_figure(explained)}, exactly {grouped(explained.value)} {explained.unit}"),
        ("means", explained.meaning),
        ("formula", formula(explained.size)),
        ("in numbers", with_numbers(explained.size, report.sizes)),
        ("letters", _letters(explained)),
        ("setting", _setting(explained)),
        ("counted", explained.convention.said),
        ("source", explained.convention.source),
    ]
    lines += [f"{name:<10}  {said}" for name, said in facts if said]
    if len(explained.parts) > 1:
        lines += ["", *_parts(explained).text()]
    elif explained.parts and rule:
        lines += ["", *_rule(explained.parts[0])]
    return "\n".join(lines) + "\n"


def document(explained: Explanation) -> dict[str, Any]:
    """For a program: the same, exact integers."""
    report = explained.report
    return {
        "path": explained.path,
        "figure": explained.figure,
        "unit": explained.unit,
        "meaning": explained.meaning,
        "value": explained.value,
        "formula": formula(explained.size),
        "in_numbers": with_numbers(explained.size, report.sizes),
        "letters": dict(explained.letters),
        "at": dict(report.at),
        "setting": report.setting.document(),
        "convention": explained.convention.said,
        "source": explained.convention.source,
        "parts": [
            {
                "path": part.found.row.path,
                "operator": part.found.row.operator,
                "value": part.value,
                "formula": formula(part.size),
                "file": part.found.row.span.file,
                "line": part.found.row.span.line,
            }
            for part in explained.parts
        ],
    }


def _name(explained: Explanation) -> str:
    return f"{explained.path}.{explained.figure}" if explained.path else explained.figure


def _figure(explained: Explanation) -> str:
    if explained.unit in NUMBERED:
        return grouped(explained.value)
    return in_unit(explained.value, explained.unit)


def _letters(explained: Explanation) -> str:
    key = explained.report.costs.key.key
    said = {name: f" `{key[name].said}`" if key[name].said else "" for name in explained.letters}
    return ", ".join(
        f"{name} {key[name].meaning}{said[name]} = {grouped(size)}"
        for name, size in explained.letters.items()
    )


def _setting(explained: Explanation) -> str:
    """What bytes and training depend on; work of a forward depends on none of it."""
    if explained.unit != "bytes" and not explained.figure.startswith(
        ("backward", "recompute", "training")
    ):
        return ""
    words = explained.report.setting.document().items()
    return ", ".join(f"{name} {said}" for name, said in words)


def _parts(explained: Explanation) -> Table:
    """The operators that a number is the sum of, the largest first."""
    ranked = sorted(explained.parts, key=lambda part: -part.value)
    rows = [
        (
            part.found.row.path,
            part.found.row.operator,
            grouped(part.value),
            share(part.value, explained.value),
            formula(part.size),
        )
        for part in ranked[:MOST]
    ]
    rest = ranked[MOST:]
    left = sum(part.value for part in rest)
    foot = [(f"{len(rest)} others", "", grouped(left), share(left, explained.value), "")]
    return Table(
        ("node", "operator", explained.unit, "", "formula"),
        rows,
        frozenset({2, 3}),
        foot if rest else [],
    )


def _rule(part: Part) -> Iterator[str]:
    """What the operator says of itself, its rule of cost, and the spec line that asks for it."""
    row = part.found.row
    kind = getattr(compiler.ops, row.operator, None)
    file = row.span.file or "spec"
    yield f"{row.path} is {row.operator}, asked for at {file}:{row.span.line}"
    if kind is None:
        return
    yield indent(inspect.cleandoc(kind.__doc__ or ""), "  ")
    yield ""
    yield "its rule, in elements of one use:"
    yield indent(dedent(inspect.getsource(kind.cost)).rstrip(), "  ")
