"""How far a base reads: beyond its table of positions nothing can be compared with it."""

from collections.abc import Mapping

from compiler.ir.program import Program
from compiler.passes.cost_lengths import tables
from compiler.report.costs import CostReport


def within(
    at: Mapping[str, int], asked: Mapping[str, int], program: Program, report: CostReport
) -> dict[str, int]:
    """Lengths that a base has positions for, in the place of those of `at` that are too long.

    Those that were `asked` for stay: that the base has none of them is an error. `report` is the
    base's own. Empty where all of them fit.
    """
    costs, found = report.costs, dict[str, int]()
    pair = {costs.target, costs.seen} - {""}
    for table in tables(program, costs):
        letters = pair if table.letter in pair else {table.letter}
        if letters & set(asked):
            continue
        for letter in letters & set(at):
            if at[letter] > table.places:
                found[letter] = min(table.places, found.get(letter, table.places))
    return found
