"""Everything that the page shows of one spec, ready for the template."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from archspec.source.frozen import Frozen
from compiler.ir.letters import Letter
from compiler.passes.cost_lengths import in_order
from compiler.passes.metrics import METRICS
from compiler.report.assumptions import assumptions
from compiler.report.costs import CostReport
from compiler.report.diff import terminal as changed
from compiler.report.diff.difference import Difference
from compiler.report.diff.wording import verdict
from compiler.report.numbers import grouped
from compiler.report.page.bars import Bar, bars
from compiler.report.page.command import counting
from compiler.report.page.controls import Choice, Slider, choices, shared, sliders
from compiler.report.page.figures import FIELDS, Chosen
from compiler.report.page.loads import Loads
from compiler.report.page.nodes import Group, nodes
from compiler.report.page.plot import Plot, plot
from compiler.report.page.roof import Roof
from compiler.report.page.sheet import MARKS, Number, Sheet
from compiler.report.page.spread import Spread
from compiler.report.page.tiles import Tile, tiles
from compiler.report.parallel.anywhere import anywhere
from compiler.report.table import Table

CODE: Final = re.compile(r"`([^`]*)`")
LONG: Final = 120
"""Letters of a changed value that are shown."""


class View(Frozen):
    """One spec: its sheet, its picture with what its boxes cost, and how many it is."""

    sheet: Sheet
    loads: Loads
    picture: str
    index: int = 0
    short: str = ""
    """Why lengths are shorter than by themselves, where the base has no longer ones."""

    @property
    def report(self) -> CostReport:
        """The cost report."""
        return self.sheet.report

    @property
    def difference(self) -> Difference | None:
        """From the base."""
        return self.sheet.difference

    @property
    def at(self) -> str:
        """Where it is counted: `B 1, T 8 192`."""
        at = self.report.at
        letters = in_order(self.report.costs)
        return ", ".join(f"{known.name} {grouped(at[known.name])}" for known in letters)

    @cached_property
    def tiles(self) -> list[Tile]:
        """The first row."""
        return tiles(self.sheet)

    @property
    def tiles_in_a_row(self) -> int:
        """Rows are as full as they can be, five tiles the most."""
        count = len(self.tiles)
        return -(-count // max(1, -(-count // 5)))

    @cached_property
    def bars(self) -> list[Bar]:
        """Where it goes."""
        return bars(self.sheet)

    @cached_property
    def plots(self) -> list[Plot]:
        """Memory and work over the length."""
        found = (_memory(self.sheet), _work(self.sheet))
        return [each for each in found if each is not None]

    @cached_property
    def roof(self) -> Roof:
        """The model on a device."""
        return Roof(self.sheet)

    @cached_property
    def spread(self) -> Spread | None:
        """The model on many devices; None where its layers are of too many kinds for letters."""
        found = anywhere(self.report.costs)
        return Spread(self.sheet, found) if found else None

    @property
    def roof_notes(self) -> list[list[tuple[str, bool]]]:
        """What is assumed of the device."""
        return [pieces(note) for note in self.roof.notes]

    @cached_property
    def groups(self) -> list[Group]:
        """The table of all components."""
        return nodes(self.sheet)

    @cached_property
    def totals(self) -> list[tuple[str, list[tuple[str, bool]], Number]]:
        """Every total with its name and meaning."""
        return [
            (name, pieces(METRICS[name].meaning), number)
            for name, number in self.sheet.totals.items()
        ]

    @cached_property
    def sliders(self) -> list[Slider]:
        """Lengths to choose."""
        return sliders(self.sheet)

    @property
    def choices(self) -> list[Choice]:
        """Settings to choose; known when all else has been asked for."""
        return choices(self.sheet)

    @property
    def shared(self) -> list[Choice]:
        """What ranks share, to choose."""
        return shared(self.sheet)

    @property
    def assumptions(self) -> list[list[tuple[str, bool]]]:
        """Sentences in pieces, each with whether it is code."""
        return [pieces(sentence) for sentence in assumptions(self.report)]

    @property
    def verdicts(self) -> list[tuple[bool, list[tuple[str, bool]]]]:
        """Limits of the budget: whether each holds, and what it says."""
        return [(each.ok, pieces(each.sentence())) for each in self.report.verdicts]

    @property
    def changes(self) -> tuple[str, list[tuple[str, Table]]] | None:
        """What changed against the base: a verdict, then tables."""
        found = self.difference
        if found is None:
            return None
        tables = [
            ("Totals", changed.totals(found)),
            ("Structure", changed.changes(found, LONG)),
            ("Components", changed.components(found)),
        ]
        said = "; ".join(filter(None, (verdict(found), self.short.replace("`", ""))))
        return said, [(title, table) for title, table in tables if table.rows]

    @property
    def letters(self) -> list[Letter]:
        """The key: every letter of some figure."""
        costs = self.report.costs
        return [known for known in costs.key.key.values() if known.name in costs.letters]

    @property
    def seen_kinds(self) -> set[str]:
        """The kinds that some bar shows."""
        return {segment.kind for bar in self.bars for segment in bar.segments}

    @property
    def kernels(self) -> Table:
        """Which kernel runs each attention."""
        alike: dict[tuple[str, str, str], list[str]] = {}
        for k in self.report.kernels:
            alike.setdefault((k.call, k.law, k.reason), []).append(k.path)
        rows = [(", ".join(paths), *chosen) for chosen, paths in alike.items()]
        return Table(("attention", "calls", "memory", "because"), rows)

    @property
    def command(self) -> str:
        """What counts the same in a terminal."""
        return counting(self.sheet)

    def document(self) -> dict[str, Any]:
        """For the script: every figure that something on the page shows."""
        report, chosen, usual = self.report, self.sheet.chosen, Chosen()
        _ = self.tiles, self.bars, self.plots, self.groups, self.totals
        spread, roof = self.spread.document() if self.spread else None, self.roof.document()
        return {
            "sizes": {name: str(size) for name, size in report.sizes.items()},
            "follows": {name: str(size) for name, size in report.costs.key.formulas.items()},
            "roles": {name: getattr(report.costs, name) for name in ("batch", "target", "seen")},
            "setting": {name: getattr(chosen, name) for name in FIELDS},
            "usual": {name: getattr(usual, name) for name in FIELDS},
            "loads": [list(pair) for pair in self.loads.figures],
            "work": self.sheet.totals["matmul_flops"].figure,
            "plots": [
                {
                    "unit": MARKS[p.unit],
                    "letters": p.letters,
                    "series": [s.figure for s in p.series],
                }
                for p in self.plots
            ],
            "roof": roof,
            "spread": spread,
            "path": report.path,
            "patches": list(report.settings),
            **self.sheet.figures.document(self._shown()),
        }

    def _shown(self) -> set[int]:
        """Formulas that stand on the page as text, from where the script reads them."""
        every = [number for _, _, number in self.totals]
        every += [number for _, number in self.spread.formulas] if self.spread else []
        return {number.by[0] for number in every}


SAVED: Final = "saved_bytes"


def pieces(sentence: str) -> list[tuple[str, bool]]:
    """A sentence split at its backticks."""
    return [(part, at % 2 == 1) for at, part in enumerate(CODE.split(sentence)) if part]


def _memory(sheet: Sheet) -> Plot | None:
    wanted = [
        ("attention matrices, unfused", "square", "attention_matrix_bytes_total"),
        ("what a fused kernel keeps instead", "fused", "attention_fused_bytes_total"),
        ("keys and values", "cache", "kv_bytes"),
        ("weights", "weights", "weights_bytes"),
    ]
    lines = [(words, style, sheet.metric(name)) for words, style, name in wanted]
    if SAVED in sheet.totals:
        lines += [
            ("saved for backward, unfused", "train", sheet.metric(SAVED, "eager")),
            ("saved for backward, fused", "spare", sheet.metric(SAVED, "fused")),
        ]
    found = plot(sheet, "Memory over the length", "bytes", lines)
    return replace(found, ceiling=sheet.there.device.memory) if found else None


def _work(sheet: Sheet) -> Plot | None:
    wanted = [
        ("positions with positions, quadratic", "square", "attention_flops"),
        ("products with weights, linear", "fused", "linear_flops"),
    ]
    lines = [(words, style, sheet.metric(name)) for words, style, name in wanted]
    return plot(sheet, "FLOP of one forward over the length", "FLOP", lines)


def side_by_side(views: Sequence[View]) -> list[tuple[str, list[Number | None]]]:
    """Totals of several specs: a line for each that some have."""
    found = {name: [view.sheet.totals.get(name) for view in views] for name in METRICS}
    return [(n, numbers) for n, numbers in found.items() if any(x and x.value for x in numbers)]
