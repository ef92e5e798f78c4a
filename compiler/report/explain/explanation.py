"""One number explained: its rule, its formula, the numbers put in, its convention and source."""

import re
from collections.abc import Mapping
from typing import Any

from archspec.source.expect import expect
from archspec.source.frozen import Frozen
from archspec.source.suggest import did_you_mean, existing
from compiler.ir.size import Poly, total
from compiler.passes.metrics import METRICS, exact
from compiler.report.costs import CostReport
from compiler.report.device.problem import problem
from compiler.report.explain.conventions import ROUNDED, Convention, convention
from compiler.report.explain.figures import FIGURES, SHORT, figure_called
from compiler.report.explain.path import ANY, STEP, Found, find, folded
from compiler.report.lacking import lacking

OPTION = "--explain"
SAVED = "saved_bytes"


class Part(Frozen):
    """What one operator adds to a number."""

    found: Found
    size: Poly
    value: int


class Explanation(Frozen):
    """Why a number is what it is.

    Attributes:
        path: of an operator, or of what holds several; empty for a total.
        figure: the name of the number, as `archc cost --json` has it.
        parts: the operators that it is the sum of; none where it is no sum.
    """

    report: CostReport
    path: str
    figure: str
    unit: str
    meaning: str
    size: Poly
    parts: tuple[Part, ...]

    @property
    def value(self) -> int:
        """The number."""
        return exact(self.report.costs, self.size, self.report.at)

    @property
    def convention(self) -> Convention:
        """By which it is counted."""
        if self.report.setting.rounded and self.figure == "weights_bytes":
            return ROUNDED
        return convention(self.figure)

    @property
    def letters(self) -> Mapping[str, int]:
        """The letters of the formula with their sizes."""
        sizes = self.report.sizes
        return {name: sizes[name] for name in sizes if name in self.size.letters}

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def text(self) -> str:
        """For a terminal."""
        from compiler.report.explain.telling import text

        return text(self)

    def document(self) -> dict[str, Any]:
        """For a program."""
        from compiler.report.explain.telling import document

        return document(self)


def explain(report: CostReport, said: str) -> list[Explanation]:
    """The number of a total (`kv_bytes`) or of nodes (`h.layer.attn.sdpa.flops`); of a path alone
    all that are not zero.

    Raises SpecError (AR0965, AR0966) where nothing is called so.
    """
    expect(said, str, "`number` must be the name of a number, as `kv_bytes`")
    if said in METRICS:
        if not METRICS[said].present(report.costs):
            message = f"`{said}` is not known for this model"
            raise problem("AR0965", message, (OPTION, said), *lacking(report.costs, said))
        return [_total(report, said)]
    path, _, last = said.rpartition(".")
    if last == SAVED and (kept := _saved(report, path)):
        return [kept]
    figure = figure_called(last) if path else ""
    if figure and (found := find(report.costs, path)):
        return [_sum(report, path, figure, found)]
    if not figure and (found := find(report.costs, said)):
        every = [_sum(report, said, name, found) for name in FIGURES]
        return [each for each in every if each.size.terms]
    raise _unknown(report, said, bool(figure))


def _saved(report: CostReport, path: str) -> Explanation | None:
    """What nodes of the fused graph keep for the backward pass, each tensor with the first that
    does; layers are `layer` there."""
    memory, wanted = report.costs.memory, STEP.findall(path)
    if memory is None or memory.unknown:
        return None
    rows = memory.rows(report.setting).items()
    kept = [size for known, (_, size) in rows if STEP.findall(known)[: len(wanted)] == wanted]
    if not wanted or not kept:
        return None
    meaning = METRICS[SAVED].meaning
    return Explanation(report, path, SAVED, "bytes", meaning, total(kept), ())


def _total(report: CostReport, name: str) -> Explanation:
    metric, size = METRICS[name], report.formulas[name]
    parts: tuple[Part, ...] = ()
    if name in FIGURES:
        rows = [Found(row, 1, False) for row in report.costs.rows]
        parts = tuple(_parts(report, name, rows))
    return Explanation(report, "", name, metric.unit, metric.meaning, size, parts)


def _sum(report: CostReport, path: str, name: str, found: list[Found]) -> Explanation:
    figure, parts = FIGURES[name], tuple(_parts(report, name, found))
    size = total(part.size for part in parts)
    return Explanation(report, path, name, figure.unit, figure.meaning, size, parts)


def _parts(report: CostReport, name: str, found: list[Found]) -> list[Part]:
    parts = []
    for each in found:
        figure = FIGURES[name]
        size = figure.formula(each.row, report.setting)
        size = size if each.shared and figure.weights else each.of(report.costs, size)
        parts.append(Part(each, size, exact(report.costs, size, report.at)))
    return [part for part in parts if part.size.terms] or parts[:1]


def _unknown(report: CostReport, said: str, named: bool) -> Exception:
    path, _, last = said.rpartition(".")
    costs = report.costs
    if not path:
        hint = did_you_mean(said, [*METRICS, *folded(costs)]) or "no node, no total"
        message = f"nothing that is counted is called `{said}`"
        help_ = "name a total of `archc cost --json`, or a node and a figure: `logits.flops`"
        return problem("AR0965", message, (OPTION, said), hint, help_)
    together = re.sub(r"\.\d+(?=\.|\Z)", f".{ANY}", path)
    if last == SAVED and together != path and _saved(report, together):
        message = f"`{SAVED}` is counted of all layers together"
        return problem("AR0965", message, (OPTION, said), f"`{together}.{SAVED}`")
    if last == SAVED and find(costs, path) and (costs.memory and not costs.memory.unknown):
        full = report.setting.forgets == "full"
        why = "layers that are computed again keep what enters them, counted in `saved_bytes` alone"
        label = why if full else "what it makes is nothing that a backward pass needs"
        return problem("AR0965", f"`{path}` keeps no tensor of its own", (OPTION, said), label)
    if not named and find(costs, path):
        hint = did_you_mean(last, [*SHORT, *FIGURES]) or "no figure, and no node below"
        message = f"`{path}` has no figure `{last}`"
        help_ = f"there are {', '.join(f'`{name}`' for name in FIGURES)}"
        return problem("AR0965", message, (OPTION, said), hint, help_)
    wanted = path if named else said
    known = list(folded(costs))
    hint = did_you_mean(wanted, known) or existing((p for p in known if "." not in p), "node")
    message = f"no node is called `{wanted}`"
    help_ = "paths are as `archc cost` prints them; `h.layer` and `h.3` are layers of `h`"
    return problem("AR0966", message, (OPTION, said), hint or "not in the table", help_)
