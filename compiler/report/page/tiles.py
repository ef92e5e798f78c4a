"""The first row of the page: the figures a reviewer asks for first."""

from collections.abc import Iterator, Sequence
from typing import Final

from archspec.source.frozen import Frozen
from compiler.report.diff.difference import Difference
from compiler.report.diff.wording import relative
from compiler.report.page.sheet import Number, Sheet

Piece = str | Number


class Tile(Frozen):
    """A name, a number, words around more numbers, and how it stands against the base: `good`
    where it is less, `bad` where it is more."""

    name: str
    number: Number
    remark: tuple[Piece, ...] = ()
    against: str = ""
    tone: str = ""


WANTED: Final[Sequence[tuple[str, str, tuple[str, ...]]]] = (
    ("parameters", "parameters", ("{parameters_active} active for a token",)),
    ("weights_bytes", "weights", ()),
    ("matmul_flops", "FLOP of one forward", ("{matmul_flops_causal} over visible pairs",)),
    ("decode_flops", "FLOP of one more token", ()),
    ("decode_read_bytes", "bytes read for it", ("{decode_weights_bytes} of them weights",)),
    ("kv_bytes_per_token", "cache of a token", ("{kv_bytes} in all",)),
    (
        "attention_matrix_bytes_total",
        "attention matrices, unfused",
        ("{attention_fused_bytes_total} fused",),
    ),
    ("forward_peak_bytes", "tensors of a forward, at most", ()),
    (
        "training_states_bytes",
        "weights, gradients, optimizer",
        ("{saved_bytes} saved for backward",),
    ),
    ("training_flops", "FLOP of a training step", ("{recompute_flops} computed again",)),
)
"""Totals in order, what they are called, and what else is said where it differs."""


def tiles(sheet: Sheet) -> list[Tile]:
    """A tile for each total that is more than nothing."""
    return [tile for tile in _tiles(sheet) if tile.number.value]


def _tiles(sheet: Sheet) -> Iterator[Tile]:
    for name, title, remarks in WANTED:
        if name in sheet.totals:
            number = sheet.totals[name]
            remark = tuple(piece for said in remarks for piece in _pieces(sheet, said, number))
            yield Tile(title, number, remark, *_against(sheet.difference, name))


def _pieces(sheet: Sheet, said: str, number: Number) -> Iterator[Piece]:
    """A remark about another total, where that is counted and says something else."""
    name, _, rest = said.removeprefix("{").partition("}")
    other = sheet.totals.get(name)
    if other is not None and other.value and other.formula != number.formula:
        yield from (other, rest)


def _against(difference: Difference | None, name: str) -> tuple[str, str]:
    if difference is None:
        return "", ""
    found = next((total for total in difference.totals if total.name == name), None)
    if found is None:
        return "", ""
    if found.before == found.after:
        return "as in the base", ""
    tone = "good" if found.after < found.before else "bad"
    return f"{relative(found.before, found.after)} against the base", tone
