"""What a reader can change on the page: lengths, and how the model is run and trained."""

from collections.abc import Iterator
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.letters import Letter
from compiler.passes.cost_lengths import in_order
from compiler.passes.setting import CHOICES
from compiler.report.page.figures import FIELDS
from compiler.report.page.sheet import Sheet
from compiler.report.parallel.degrees import WAYS

MOST: Final = 2**20
"""The largest length that sliders reach, where no table of positions ends before."""
WORDS: Final = {
    "precision": "precision",
    "kernel": "attention kernel",
    "recompute": "recomputation",
    "optimizer": "optimizer",
}


class Slider(Frozen):
    """A length: its letter, meaning, size and the largest one."""

    letter: str
    role: str
    meaning: str
    size: int
    most: int

    @property
    def power(self) -> int:
        """The nearest power of two below."""
        return self.size.bit_length() - 1

    @property
    def powers(self) -> int:
        """The last step of the slider."""
        return self.most.bit_length() - 1


class Choice(Frozen):
    """A field of the setting with the words that it can have."""

    name: str
    said: str
    chosen: str
    words: tuple[str, ...]


def sliders(sheet: Sheet) -> list[Slider]:
    """One for each length that the model leaves open."""
    return [_slider(sheet, known) for known in in_order(sheet.report.costs)]


def choices(sheet: Sheet) -> list[Choice]:
    """Those fields of the setting that some number of the page depends on."""
    read = {name for figure in sheet.figures.figures for name in figure.by}
    chosen = sheet.report.setting
    return [
        Choice(name, WORDS[name], getattr(chosen, name), words)
        for name, words in CHOICES.items()
        if name in read
    ]


def shared(sheet: Sheet) -> list[Choice]:
    """What of degrees of parallelism is a choice among formulas."""
    return [
        Choice(name, WAYS[name], getattr(sheet.chosen, name), words)
        for name, words in FIELDS.items()
        if name not in CHOICES
    ]


def _slider(sheet: Sheet, known: Letter) -> Slider:
    size = sheet.report.at[known.name]
    most = min(_ends(sheet, known), default=max(MOST, size))
    return Slider(known.name, known.role, known.meaning, size, most)


def _ends(sheet: Sheet, known: Letter) -> Iterator[int]:
    """Where learned tables of positions end; new positions are among the seen ones."""
    costs = sheet.report.costs
    names = {known.name, costs.seen} if known.name == costs.target else {known.name}
    return (table.places for table in sheet.report.tables if table.letter in names)
