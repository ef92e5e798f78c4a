"""Names of classes: one for each graph of a program, as short as tells them apart."""

import re
from collections.abc import Iterable
from typing import Final

from compiler.ir.program import Program

TAKEN: Final = frozenset({"F", "Tensor", "nn", "torch"})


def camel(words: str) -> str:
    """`vit-b16_mean` as `VitB16Mean`; a digit in front gets an `M`."""
    parts = re.findall(r"[A-Za-z0-9]+", words)
    name = "".join(part[0].upper() + part[1:] for part in parts) or "Model"
    return f"M{name}" if name[0].isdigit() else name


def class_names(program: Program) -> dict[str, str]:
    """A class name for every graph: by its title, else with the name of the sub-layer, else with the stack's."""
    names: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for name, graph in program.graphs.items():
        if name != program.root:
            groups.setdefault(graph.title, []).append(name)
    for title, members in groups.items():
        for choice in (_title, _with_own, _with_path, _numbered):
            wishes = choice(title, members)
            if len(set(wishes)) == len(wishes) and not set(wishes) & {*names.values(), *TAKEN}:
                names.update(zip(members, wishes, strict=True))
                break
    own = camel(program.name)
    names[program.root] = own if own not in {*names.values(), *TAKEN} else f"{own}Model"
    return names


def _title(title: str, members: Iterable[str]) -> list[str]:
    return [camel(title) for _ in members]


def _with_own(title: str, members: Iterable[str]) -> list[str]:
    return [_joined(name.split(".")[-1], title) for name in members]


def _with_path(title: str, members: Iterable[str]) -> list[str]:
    return [
        _joined(" ".join(part for part in name.split(".") if part != "layer"), title)
        for name in members
    ]


def _numbered(title: str, members: Iterable[str]) -> list[str]:
    return [f"{camel(title)}{number}" for number, _ in enumerate(members, 1)]


def _joined(words: str, title: str) -> str:
    parts = words.split()
    return camel(words) if parts and parts[-1] == title else camel(f"{words} {title}")
