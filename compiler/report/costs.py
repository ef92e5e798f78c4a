"""The cost report of a spec: its figures at some lengths, its budgets, and how to read them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, SpecError
from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.ir.program import Program
from compiler.ir.size import Poly
from compiler.passes.cost import Costs, cost
from compiler.passes.cost_lengths import Table, lengths, letters_said, tables
from compiler.passes.metrics import formulas, totals
from compiler.passes.setting import USUAL, Precision, Setting
from compiler.report.budget import Verdict
from compiler.report.held import held_of
from compiler.report.judging import Said, judge
from compiler.report.kernels import Kernel, kernels
from compiler.report.memory import memory_of
from compiler.report.mixtures import Mixture, mixtures
from compiler.report.products import Product, products
from compiler.report.scaling import Point, scaling

if TYPE_CHECKING:
    from compiler.report.device.device import Device
    from compiler.report.device.on_device import OnDevice
    from compiler.report.explain.explanation import Explanation
    from compiler.report.parallel.ranks import Ranks

NOTHING: Final[Mapping[str, int]] = {}
NOTHING_MORE: Final[Mapping[str, Sequence[Said]]] = {}


class CostReport(Frozen):
    """What `archc cost` answers.

    Attributes:
        asked: lengths that were asked for; `at` has one for every free letter.
        context: for each input with a context length, whether the spec writes it.
        path: of the spec, as it is to be shown; empty for a spec without a file.
        file: the name of that file in the spans of the rows.
        tables: learned tables of positions, which end the lengths that a model takes.
        mixtures: the routers of mixtures of experts.
        kernels: which kernel runs each attention, and why.
        verdicts: one a limit of the spec's budget, and of the files `budgets`.
    """

    name: str
    about: str
    path: str
    settings: tuple[str, ...]
    digest: str
    costs: Costs
    asked: Mapping[str, int]
    at: Mapping[str, int]
    context: Mapping[str, bool]
    file: str
    tables: tuple[Table, ...]
    kernels: tuple[Kernel, ...]
    verdicts: tuple[Verdict, ...]
    mixtures: tuple[Mixture, ...] = ()
    setting: Setting = USUAL
    budgets: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """False where the spec is over budget."""
        return all(verdict.ok for verdict in self.verdicts)

    @property
    def precision(self) -> Precision:
        """The type that bytes are counted in, where weights are rounded those of all else."""
        return self.setting.precision

    @property
    def in_floats(self) -> "CostReport":
        """The report of the model as it trains, its weights not rounded."""
        if self.setting.rounded is None:
            return self
        return replace(self, setting=replace(self.setting, rounded=None))

    @property
    def counted_at(self) -> str:
        """The lengths for people: `B=1, T=1024`."""
        return letters_said(self.costs, self.at).replace(",", ", ")

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Every letter with its size, fixed or chosen."""
        return {**self.costs.key.sizes, **self.at}

    @cached_property
    def formulas(self) -> Mapping[str, Poly]:
        """Every total in letters."""
        return formulas(self.costs, self.setting)

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """Every total as an exact integer, worked out when it is first read."""
        return totals(self.costs, self.at, self.setting)

    def totals_in(self, precision: Precision) -> Mapping[str, int]:
        """Every total as it were in a type of floats."""
        setting = replace(self.setting, precision=precision, rounded=None)
        return totals(self.costs, self.at, setting)

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """The four matrix products of every attention."""
        return products(self.costs)

    @cached_property
    def scaling(self) -> tuple[Point, ...]:
        """Every total at lengths from 1 k to 128 k."""
        return scaling(self.costs, self.at, self.tables, self.setting)

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def _repr_html_(self) -> str:
        """For a notebook."""
        from compiler.report.notebook import cost_html

        return cost_html(self)

    def text(self, *, formulas: bool = False, training: bool = False) -> str:
        """For a terminal, without colour; with `training`, what that takes too."""
        from compiler.report.terminal import terminal

        return terminal(self, formulas=formulas, training=training)

    def markdown(self, *, formulas: bool = True, training: bool = False) -> str:
        """For a pull request or a folder of generated files: the same bytes everywhere."""
        from compiler.report.markdown import markdown

        return markdown(self, formulas=formulas, training=training)

    def parallel(self, **degrees: int) -> "Ranks":
        """What a rank keeps and sends where the model is spread over devices: `tp=8, pp=4, dp=16,
        zero=1`. Raises SpecError where a degree does not divide what it cuts, TypeError or
        ValueError where it is none, and CannotAnswer where weights are rounded."""
        from compiler.report.parallel.degrees import Degrees
        from compiler.report.parallel.ranks import ranks

        if self.setting.rounded is not None:
            raise CannotAnswer(
                "weights that are spread over devices are counted in floats",
                "leave out `--parallel`, or take `--precision` fp32, bf16 or fp16",
            )
        found = ranks(self.costs, self.at, Degrees(**degrees), self.setting)
        if isinstance(found, tuple):
            raise SpecError(found)
        return found

    def document(self, *, formulas: bool = False) -> dict[str, Any]:
        """For a program: exact integers, units in the names."""
        from compiler.report.document import document

        return document(self, formulas=formulas)

    def explain(self, number: str) -> "list[Explanation]":
        """Where a total (`kv_bytes`) or a node's number (`h.layer.attn.sdpa.flops`) is from. Raises
        SpecError."""
        from compiler.report.explain.explanation import explain

        return explain(self, number)

    def on(self, device: "str | Device", assume: str = "") -> "OnDevice":
        """The same on a device: `"h200"`, a file of devices, or one of them. `assume` changes what
        is assumed of it, as `--assume` does. Raises SpecError."""
        from compiler.report.device.on_device import on

        return on(self, device, assume)


def cost_report(
    program: Program,
    spec: Spec,
    at: Mapping[str, int] = NOTHING,
    *,
    path: str | None = None,
    settings: Sequence[str] = (),
    setting: Setting = USUAL,
    budget: Mapping[str, Sequence[Said]] = NOTHING_MORE,
) -> CostReport | tuple[Diagnostic, ...]:
    """Count a program at lengths (`{"B": 1, "T": 8192}`; those not named have their defaults).

    `path` is how to show where the spec is, where that is not how it was given; `settings` are the
    patches that it was read with (`d_model=1024`), for the command line; `budget` has limits beside
    those of the spec, by the files that they stand in. Returns diagnostics where a length or a
    budget makes no sense for this model.
    """
    costs = cost(program, memory_of(program), held_of(program))
    learned = tuple(tables(program, costs))
    chosen = lengths(program, costs, spec.inputs, at)
    if not isinstance(chosen, dict):
        return chosen
    verdicts = judge(program, costs, spec, chain.from_iterable(budget.values()))
    wrong = tuple(found for found in verdicts if isinstance(found, Diagnostic))
    if wrong:
        return wrong
    return CostReport(
        name=spec.name,
        about=spec.about,
        path=spec.path if path is None else path,
        settings=tuple(settings),
        digest=spec.digest,
        costs=costs,
        asked=dict(at),
        at=chosen,
        context={
            name: _written(spec, name) for name, i in spec.inputs.items() if i.max is not None
        },
        file=spec.path,
        tables=learned,
        kernels=kernels(program),
        mixtures=mixtures(program),
        verdicts=tuple(found for found in verdicts if isinstance(found, Verdict)),
        setting=setting,
        budgets=tuple(budget),
    )


def _written(spec: Spec, name: str) -> bool:
    mark = spec.mark_of(f"inputs.{name}.max")
    return mark is not None and mark.origin == "written"
