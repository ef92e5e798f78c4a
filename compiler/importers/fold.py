"""Long lists of parameter names said shortly: runs of an index become `{0..11}`."""

import re
from collections.abc import Iterable

from compiler.importers.printable import printable

INDEX = re.compile(r"(?<![^.])(0|[1-9][0-9]{0,8})(?![^.])")
"""A whole segment that is a number, as it is printed."""


def fold(names: Iterable[str]) -> list[str]:
    """Every one of `names`, those that differ only in their first or last index said as one."""
    return _folded(_folded(names, 0), -1)


def _folded(names: Iterable[str], which: int) -> list[str]:
    groups: dict[str, list[int]] = {}
    for name in sorted(set(names), key=_natural):
        hits = list(INDEX.finditer(name))
        if not hits:
            groups.setdefault(name, [])
            continue
        hit = hits[which]
        pattern = f"{name[: hit.start()]}\0{name[hit.end() :]}"
        groups.setdefault(pattern, []).append(int(hit[0]))
    return [_said(pattern, indices) for pattern, indices in groups.items()]


def listed(names: Iterable[str]) -> str:
    """`names` folded, each in backticks."""
    return ", ".join(f"`{printable(name)}`" for name in fold(names))


def _said(pattern: str, indices: list[int]) -> str:
    if not indices:
        return pattern
    runs: list[list[int]] = []
    for index in indices:
        if runs and index == runs[-1][-1] + 1:
            runs[-1].append(index)
        else:
            runs.append([index])
    said = ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}" for run in runs)
    alone = len(indices) == 1
    return pattern.replace("\0", said if alone else f"{{{said}}}", 1)


def _natural(name: str) -> list[tuple[int, int, str]]:
    parts = re.split(r"([0-9]+)", name)
    return [
        (1, int(part[:9]), part) if part[:1].isdecimal() and part.isascii() else (0, 0, part)
        for part in parts
    ]
