"""`archc cost`: parameters, FLOPs and bytes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final, Literal

from cyclopts import Parameter

from compiler.cli.options import (
    Assume,
    Budget,
    CountedPrecision,
    CountedTarget,
    Flag,
    Json,
    Kernel,
    Optimizer,
    Recompute,
    Set,
    Specs,
)

if TYPE_CHECKING:
    from compiler.passes.setting import Precision
    from compiler.report.costs import CostReport
    from compiler.report.parallel.ranks import Ranks

FORMS: Final = ("github", "sarif", "junit")
"""Forms for other programs, which print no numbers but broken limits."""


def cost(
    *specs: Specs,
    at: Annotated[
        str,
        Parameter(
            metavar="B=1,S=8192",
            show_default=False,
            help="Sizes to count at; without it, one sequence of the context length.",
        ),
    ] = "",
    format: Annotated[
        Literal["text", "markdown", "json", "github", "sarif", "junit"],
        Parameter(
            help="How to print; the last three print the limits alone: for GitHub's annotations "
            "and code scanning, and for test reports."
        ),
    ] = "text",
    precision: CountedPrecision = "bf16",
    target: CountedTarget = "",
    kernel: Kernel = "fused",
    recompute: Recompute = "none",
    optimizer: Optimizer = "adamw",
    training: Annotated[
        bool,
        Flag,
        Parameter(
            help="Print what training takes too; so do `--kernel`, `--recompute` and "
            "`--optimizer` where they ask for something else than usual."
        ),
    ] = False,
    formulas: Annotated[bool, Flag, Parameter(help="Print closed formulas too.")] = False,
    primitives: Annotated[
        bool,
        Flag,
        Parameter(help="What mixes positions in these specs, side by side over their length `N`."),
    ] = False,
    explain: Annotated[
        str,
        Parameter(
            metavar="h.layer.attn.sdpa.flops",
            show_default=False,
            help="Explain a number of a node, a total such as `kv_bytes`, or with `--parallel` a "
            "figure of a rank such as `communication_bytes`: its rule, formula, numbers put in, "
            "convention and source.",
        ),
    ] = "",
    device: Annotated[
        str,
        Parameter(
            metavar="NAME",
            show_default=False,
            help="Times and what fits on a device of the table (`list` prints it), of `FILE.yaml` "
            "or `FILE.yaml:NAME`, or on `this` machine, which is then measured.",
        ),
    ] = "",
    assume: Assume = "",
    budget: Budget = None,
    parallel: Annotated[
        str,
        Parameter(
            metavar="tp=8,pp=4,dp=16",
            show_default=False,
            help="Spread it over devices too, B sequences in each microbatch of each replica: "
            "degrees `tp`, `sp`, `pp`, `dp`, `zero`, `ep`, `cp`, `microbatches` and `interleave`, "
            "which `archc explain zero` explains.",
        ),
    ] = "",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Count parameters, FLOPs, memory and the attention matrix against the fused kernel.

    A broken limit of the spec or of `--budget` makes the answer no.
    Several specs go with `--primitives`.
    A published config.json, or the folder of one, is counted as `archc import` reads it.
    """
    from compiler.answer import CannotAnswer
    from compiler.cli.beside import refuse_assume, refuse_beside
    from compiler.cli.degrees import across
    from compiler.cli.sizes import parse_sizes
    from compiler.cli.sources import only_spec
    from compiler.cli.tell import tell, tell_json
    from compiler.passes.choosing import chosen
    from compiler.pipeline import cost as cost_spec

    as_json = as_json or format == "json"
    if device == "list":
        return _list_devices(as_json)
    refuse_assume(assume, device)
    spread = {"--device": device, "--parallel": parallel}
    told = {"--explain": explain, "--training": training}
    trained = {"kernel": kernel, "recompute": recompute, "optimizer": optimizer}
    setting = chosen(precision, target, "--", **trained)
    if (primitives or explain) and format not in ("text", "json"):
        name = "--primitives" if primitives else "--explain"
        raise CannotAnswer(f"`{name}` prints text, or JSON with `--json`")
    if primitives:
        refuse_beside("`--primitives` compares specs", {**spread, **told, "--budget": budget})
        if setting.rounded:
            raise CannotAnswer("`--primitives` counts no weights", "give fp32, bf16 or fp16")
        return _primitives(specs, settings or [], at, setting.precision, formulas, as_json)
    path, patches, limits = only_spec(specs), settings or [], budget or []
    if format in FORMS and not as_json:
        counted = {"--at": at, **spread, **told, "--formulas": formulas}
        refuse_beside(f"`--format {format}` prints limits, each at sizes of its own", counted)
        return _limits(path, patches, limits, format)
    report = cost_spec(path, set=patches, at=parse_sizes(at), setting=setting, budget=limits)
    ranks = across(report, parallel)
    if explain:
        return _explain(report, ranks, explain, as_json)
    training = training or setting != chosen(precision, target)
    there = report.on(device, assume) if device else None
    room = there.room if there else None
    if as_json:
        sections = {"device": there, "parallel": ranks}
        more = {name: section.document() for name, section in sections.items() if section}
        tell_json("cost", {"ok": report.ok, **report.document(formulas=formulas), **more})
    elif format == "markdown":
        parts = [report.markdown(formulas=formulas, training=training)]
        parts += [there.markdown()] if there else []
        tell("\n".join(parts + ([ranks.markdown(room)] if ranks else [])))
    else:
        parts = [report.text(formulas=formulas, training=training)]
        parts += [there.text()] if there else []
        tell("\n".join(parts + ([ranks.text(room)] if ranks else [])))
    return 0 if report.ok else 1


def _limits(path: str, patches: Sequence[str], limits: Sequence[str], format: str) -> int:
    """Print what is wrong with a spec, its limits among it, for another program."""
    from compiler.cli.findings import tell_checked
    from compiler.pipeline import check

    return tell_checked(check([path], patches, limits), format, "cost")


def _primitives(
    specs: Sequence[str],
    patches: Sequence[str],
    at: str,
    precision: "Precision",
    formulas: bool,
    as_json: bool,
) -> int:
    """Print what mixes positions in specs, side by side."""
    from compiler.cli.sizes import parse_sizes
    from compiler.cli.sources import spec_files
    from compiler.cli.tell import tell, tell_json
    from compiler.pipeline import primitives as compare

    mixers = compare(spec_files(specs), set=patches, at=parse_sizes(at), precision=precision)
    if as_json:
        tell_json("primitives", {"ok": True, **mixers.document()})
    else:
        tell(mixers.text(formulas=formulas))
    return 0


def _explain(report: "CostReport", ranks: "Ranks | None", said: str, as_json: bool) -> int:
    """Print where numbers are from: that of a rank, where it is one and degrees are given."""
    from compiler.cli.tell import tell, tell_json
    from compiler.report.explain.telling import texts
    from compiler.report.parallel.explained import explained

    of_rank = explained(report, ranks, said) if ranks else None
    numbers = [] if of_rank else report.explain(said)
    if as_json:
        documents = [each.document() for each in (of_rank, *numbers) if each]
        tell_json("explanation", {"ok": True, "numbers": documents})
    else:
        tell(of_rank.text() if of_rank else texts(numbers))
    return 0


def _list_devices(as_json: bool) -> int:
    """Print the table of devices."""
    from compiler.cli.tell import tell, tell_json
    from compiler.report.device.section import listing
    from compiler.report.device.table import shipped

    found = shipped()
    if as_json:
        tell_json("devices", {"ok": True, "devices": [each.document() for each in found]})
    else:
        tell("\n".join(listing(found).text()))
    return 0
