"""Names of classes: one for each graph of a program, as short as tells them apart."""

import itertools
import re
import string
from collections.abc import Iterable, Iterator
from typing import Final

from compiler.ir.program import Program

TAKEN: Final = frozenset(
    (
        *("ALPHA", "BALANCE", "CAPACITY", "CLAMP", "DROPOUT", "EPS", "GROUPS", "JITTER", "STD"),
        *("False", "None", "Tensor", "True", *string.ascii_uppercase),
    )
)
"""What a generated file calls its constants and imports, and words of Python."""


def camel(words: str) -> str:
    """`vit-b16_mean` as `VitB16Mean`; a digit in front gets an `M`."""
    parts = re.findall(r"[A-Za-z0-9]+", words)
    name = "".join(part[0].upper() + part[1:] for part in parts) or "Model"
    return f"M{name}" if name[0].isdigit() else name


def class_names(program: Program) -> dict[str, str]:
    """A class name for every graph.

    By its title, else with the name of the sub-layer, else with the stack's.
    """
    names: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for name, graph in program.graphs.items():
        if name != program.root:
            groups.setdefault(graph.title, []).append(name)
    for title, members in groups.items():
        wishes = _told_apart(title, members, {*names.values(), *TAKEN})
        names.update(zip(members, wishes, strict=True))
    own = camel(program.name)
    tries = itertools.chain((own, f"{own}Model"), _counted(own))
    names[program.root] = next(name for name in tries if name not in {*names.values(), *TAKEN})
    return names


def _told_apart(title: str, members: list[str], taken: set[str]) -> list[str]:
    for choice in (_title, _with_own, _with_path) if title else (_with_own, _with_path):
        wishes = choice(title, members)
        if len(set(wishes)) == len(wishes) and taken.isdisjoint(wishes):
            return wishes
    free = (name for name in _counted(camel(title)) if name not in taken)
    return list(itertools.islice(free, len(members)))


def _counted(name: str) -> Iterator[str]:
    return (f"{name}{number}" for number in itertools.count(1))


def _title(title: str, members: Iterable[str]) -> list[str]:
    return [camel(title) for _ in members]


def _with_own(title: str, members: Iterable[str]) -> list[str]:
    return [_joined(name.split(".")[-1], title) for name in members]


def _with_path(title: str, members: Iterable[str]) -> list[str]:
    return [
        _joined(" ".join(part for part in name.split(".") if part != "layer"), title)
        for name in members
    ]


def _joined(words: str, title: str) -> str:
    parts = words.split()
    return camel(words) if parts and parts[-1] == title else camel(f"{words} {title}")
