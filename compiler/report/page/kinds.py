"""What kind of part a row is, for the eye: a colour beside its name."""

from collections.abc import Sequence
from typing import Final

from compiler.ir.size import as_poly
from compiler.passes.cost import Row

KINDS: Final = {
    "table": "tables that ids and places pick rows of",
    "projection": "maps around an attention",
    "attention": "positions with positions",
    "norm": "norms",
    "hidden": "maps of positions by themselves",
    "expert": "experts",
    "head": "maps outside of layers",
    "other": "everything else",
}
"""Kinds and what they are, in the order of the key."""


def kinds(rows: Sequence[Row]) -> list[str]:
    """The kind of each row."""
    pairing = {_component(row) for row in rows if row.attends}
    return [_kind(row, pairing) for row in rows]


def short(path: str) -> str:
    """A path without layers: `attn.q` for `h.0..12.attn.q`."""
    parts = path.split(".")
    layered = [at for at, part in enumerate(parts) if part[:1].isdigit() or not part]
    return ".".join(parts[layered[-1] + 1 :]) if layered else path


def _kind(row: Row, pairing: set[str]) -> str:
    if row.attends:
        return "attention"
    if row.embedding:
        return "table"
    if row.norm:
        return "norm"
    if not as_poly(row.cost.matmul).terms:
        return "other"
    if row.operator in ("GroupedLinear", "Router"):
        return "expert"
    if _component(row) in pairing:
        return "projection"
    return "hidden" if _component(row) else "head"


def _component(row: Row) -> str:
    return row.path.rpartition(".")[0]
