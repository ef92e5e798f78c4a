"""Example inputs of a model: seeded, within its tables, with padding where the spec has it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from archspec.components.embed import Embed
from archspec.components.pool import Pool
from archspec.model.spec import Spec
from archspec.source.frozen import Frozen
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ops import LearnedPositions, PlacedPositions

if TYPE_CHECKING:
    import torch
    from torch import Tensor

LENGTHS: Final = ((1, 7), (2, 12), (3, 17))
"""Batch sizes and positions that claims about every length are checked at."""

OTHER: Final = 3
"""How much longer each further sequence is, so that no two lengths are equal by chance."""


VISIBLE: Final = 0.6
"""How much of a mask input is true."""


NEW_DOCUMENT: Final = 0.15
"""How often a place of a packed row begins a document."""


class Example(Frozen):
    """Inputs by name as the model takes them, without a cache. Masks are true at real positions."""

    values: Mapping[str, "Tensor"]
    lengths: Mapping[str, int]


def example(
    spec: Spec, program: Program, batch: int, length: int, *, seed: int = 0, padded: bool = True
) -> Example:
    """Inputs for `batch` rows of `length` positions; the last row ends in padding if it can.

    Optional inputs (token types) are given too. Lengths are cut to what learned tables hold, and to
    the context of a decoder, whose file may have angles for no more.
    """
    import torch

    draw = torch.Generator().manual_seed(seed)
    sizes = _lengths(program, batch, length)
    values: dict[str, Tensor] = {}
    for name, entry in program.main.inputs.items():
        found = program.main.type(entry)
        if not found.shape or (found.optional and found.element == "float"):
            continue
        shape = [value(size, {**program.key.sizes, **sizes}) for size in found.shape]
        if found.element == "float":
            values[name] = torch.randn(shape, generator=draw)
        elif name in spec.inputs and spec.inputs[name].kind == "mask":
            values[name] = torch.rand(shape, generator=draw) < VISIBLE
        elif name in spec.inputs and spec.inputs[name].kind == "count":
            values[name] = torch.randint(length // 2 + 1, shape, generator=draw)
        elif found.element == "bool":
            values[name] = _mask(shape, padded)
        elif name not in spec.inputs and name.endswith("_segments"):
            values[name] = _documents(shape, draw)
        else:
            values[name] = torch.randint(_rows(spec, name), shape, generator=draw)
            _end(spec, name, values[name])
    return Example(values, sizes)


def longest(program: Program, wish: int) -> int:
    """`wish`, or fewer positions where a learned table has fewer rows."""
    found = [n.what for _, n, _ in program.flat()]
    counted = [(t.R, t.offset) for t in found if isinstance(t, LearnedPositions) and not t.whole]
    counted += [(t.R, t.offset) for t in found if isinstance(t, PlacedPositions)]
    rows = [value(program.key.fix(table)) - offset for table, offset in counted]
    return min([wish, *rows])


def _lengths(program: Program, batch: int, length: int) -> dict[str, int]:
    """A size for every free letter; `length` is doubled until filters leave a place of it, or until
    no table is longer."""
    sizes = _wished(program, batch, length)
    while any(sizes[name] < 1 for name in program.key.formulas):
        length *= 2
        if (longer := _wished(program, batch, length)) == sizes:
            break
        sizes = longer
    return sizes


def _wished(program: Program, batch: int, length: int) -> dict[str, int]:
    """One for the positions, longer ones for other sequences."""
    every = program.key.key.values()
    free = [known for known in every if known.size is None and known.formula is None]
    wishes: dict[str, int] = {}
    others = 0
    for known in free:
        match known.role:
            case "batch":
                wishes[known.name] = batch
            case "source" | "set":
                others += 1
                wishes[known.name] = longest(program, length + OTHER * others)
            case _:
                most = min(length, program.longest) if program.grown else length
                wishes[known.name] = longest(program, most)
    for name, formula in program.key.formulas.items():
        wishes[name] = value(formula, {**program.key.sizes, **wishes})
    return wishes


def _mask(shape: list[int], padded: bool) -> "Tensor":
    import torch

    mask = torch.ones(shape, dtype=torch.bool)
    if padded and shape[1] > 2:
        mask[-1, shape[1] - shape[1] // 3 :] = False
    return mask


def _documents(shape: list[int], draw: "torch.Generator") -> "Tensor":
    """Numbers that grow along each row: a new document in the middle, and by chance elsewhere."""
    import torch

    new = torch.rand(shape, generator=draw) < NEW_DOCUMENT
    new[:, shape[1] // 2] = True
    return new.cumsum(dim=1)


def _rows(spec: Spec, name: str) -> int:
    """How many different ids an input may hold."""
    tables = {
        n: node.component for n, node in spec.graph.items() if isinstance(node.component, Embed)
    }
    if name not in spec.inputs:
        owner = name.removesuffix("_types")
        readers = [n for n in tables if spec.graph[n].inputs[:1] == (owner,)]
        return min((int(tables[n].types) for n in readers if tables[n].types), default=1)
    rows = []
    for node, table in tables.items():
        if spec.graph[node].inputs[:1] == (name,):
            owner_table = tables.get(table.share, table) if table.share else table
            rows.append(int(owner_table.vocab or 2))
    return min(rows, default=2)


def _end(spec: Spec, name: str, ids: "Tensor") -> None:
    """Put the token that an `eos` pool looks for near the end of every row."""
    for node in spec.graph.values():
        pool = node.component
        if isinstance(pool, Pool) and pool.ids == name and isinstance(pool.token, int):
            ids[:, ids.shape[1] // 2] = int(pool.token)
