"""A figure of a rank explained: its formula with the numbers put in, its parts and their rules."""

from collections.abc import Iterator
from typing import Any, Final

from archspec.source.frozen import Frozen
from archspec.source.shown import shown
from compiler.ir.size import Poly, value
from compiler.report.costs import CostReport
from compiler.report.explain.conventions import Convention, convention
from compiler.report.formula import formula, with_numbers
from compiler.report.numbers import grouped, in_unit
from compiler.report.parallel.degrees import LETTERS
from compiler.report.parallel.ranks import FIGURES, Ranks, Stage
from compiler.report.parallel.rules import RING, rule
from compiler.report.table import Table

SENT: Final = "communication_bytes"
SAVED: Final = "saved_bytes"
MEANT: Final = {letter: name for name, letter in LETTERS.items()}
PLACES: Final[dict[str, tuple[str, Convention]]] = {
    "units": (
        "heads, hidden units and columns of a vocabulary of its own",
        Convention(
            "Inside a region a rank has what its maps make: 24/t of 34sbh in a layer of GPT.",
            "Korthikanti et al. 2022, section 4.2.1",
        ),
    ),
    "between": (
        "its part of the sequences between regions, or whole ones",
        Convention(
            "The other 10sbh, which are 10sbh/t where sequences are cut.",
            "Korthikanti et al. 2022, section 4.2.2",
        ),
    ),
    "whole": (
        "all of it on every tensor rank: masks, angles, a single key head",
        Convention(
            "Each rank's own units read it, at all positions.",
            "Megatron-LM: masks and rotary angles are of whole sequences",
        ),
    ),
}


class Part(Frozen):
    """What a figure is the sum of: a transfer, or tensors that lie alike."""

    name: str
    how: str
    size: Poly
    rule: Convention


class Explained(Frozen):
    """Why a figure of the fullest stage, or of the one that sends most, is what it is."""

    report: CostReport
    ranks: Ranks
    stage: Stage
    figure: str

    @property
    def size(self) -> Poly:
        """Its formula."""
        return self.stage.figures[self.figure]

    @property
    def unit(self) -> str:
        """Bytes, or parameters."""
        return "bytes" if self.figure.endswith("bytes") else "parameters"

    @property
    def convention(self) -> Convention:
        """By which it is counted."""
        return RING if self.figure == SENT else convention(self.figure)

    @property
    def parts(self) -> Iterator[Part]:
        """Transfers, or tensors by where they lie; none of other figures."""
        if self.figure == SENT:
            for one in self.stage.transfers:
                yield Part(one.what, f"{one.group} {one.kind}", one.bytes, rule(one))
        elif self.figure == SAVED and self.stage.saved:
            for name, (what, said) in PLACES.items():
                size = getattr(self.stage.saved, name)
                if size.terms:
                    yield Part(what, name, size, said)

    @property
    def letters(self) -> dict[str, int]:
        """The letters of the formula with their sizes."""
        found = self.size.letters
        return {name: size for name, size in self.stage.sizes.items() if name in found}

    def text(self) -> str:
        """For a terminal."""
        number, setting = self.stage.numbers[self.figure], self.ranks.setting.document()
        where = f"a rank of stage {self.stage.index} of {shown(self.report.name)}"
        facts = [
            ("is", f"{in_unit(number, self.unit)}, exactly {grouped(number)} {self.unit}"),
            ("means", FIGURES[self.figure]),
            ("formula", formula(self.size)),
            ("in numbers", with_numbers(self.size, self.stage.sizes)),
            ("letters", ", ".join(self._meant())),
            ("degrees", str(self.ranks.degrees)),
            ("setting", ", ".join(f"{n} {said}" for n, said in setting.items())),
            ("counted", self.convention.said),
            ("source", self.convention.source),
        ]
        lines = [f"{self.figure} of {where} at {self.report.counted_at}", ""]
        lines += [f"{name:<10}  {said}" for name, said in facts if said]
        if parts := list(self.parts):
            rows = [
                (one.name, one.how, grouped(self._value(one)), formula(one.size)) for one in parts
            ]
            lines += ["", *Table(("part", "how", "bytes", "formula"), rows, frozenset({2})).text()]
            lines += ["", *(f"{one.name}: {one.rule.said} ({one.rule.source})" for one in parts)]
        return "\n".join(lines) + "\n"

    def document(self) -> dict[str, Any]:
        """For a program: what `archc cost --explain` says of any number."""
        return {
            "path": "",
            "figure": self.figure,
            "unit": self.unit,
            "meaning": FIGURES[self.figure],
            "value": self.stage.numbers[self.figure],
            "formula": formula(self.size),
            "in_numbers": with_numbers(self.size, self.stage.sizes),
            "letters": self.letters,
            "at": dict(self.report.at),
            "setting": self.ranks.setting.document(),
            "convention": self.convention.said,
            "source": self.convention.source,
            "parts": [
                {
                    "path": one.name,
                    "operator": one.how,
                    "value": self._value(one),
                    "formula": formula(one.size),
                    "rule": one.rule.said,
                    "source": one.rule.source,
                }
                for one in self.parts
            ],
        }

    def _value(self, part: Part) -> int:
        return value(part.size, self.stage.sizes)

    def _meant(self) -> Iterator[str]:
        """Letters with what they are and their sizes."""
        key = self.report.costs.key.key
        for name, number in self.letters.items():
            meaning = key[name].meaning if name in key else f"`{MEANT[name]}`"
            yield f"{name} {meaning} = {grouped(number)}"


def explained(report: CostReport, ranks: Ranks, figure: str) -> Explained | None:
    """A figure of the stage that keeps or sends most; None where ranks have none so called."""
    stage = ranks.busiest if figure == SENT else ranks.fullest
    return Explained(report, ranks, stage, figure) if figure in stage.figures else None
