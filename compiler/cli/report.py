"""`archc report`: the design-review page."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import (
    Assume,
    Budget,
    Json,
    Kernel,
    Optimizer,
    Precision,
    Recompute,
    Set,
    Specs,
)


def report(
    *specs: Specs,
    base: Annotated[
        str,
        Parameter(
            metavar="REV",
            show_default=False,
            help="What each spec is compared with: a revision of its file, or one spec for all.",
        ),
    ] = "",
    at: Annotated[
        str,
        Parameter(
            metavar="B=1,S=8192",
            show_default=False,
            help="Sizes to count at first; without it, one sequence of the context length.",
        ),
    ] = "",
    precision: Precision = "bf16",
    kernel: Kernel = "fused",
    recompute: Recompute = "none",
    optimizer: Optimizer = "adamw",
    device: Annotated[
        str,
        Parameter(
            metavar="NAME",
            show_default=False,
            help="The device to begin with, as `archc cost` takes it; without it, an H100.",
        ),
    ] = "",
    assume: Assume = "",
    parallel: Annotated[
        str,
        Parameter(
            metavar="tp=8,pp=4,dp=16",
            show_default=False,
            help="Degrees of parallelism to begin with, as `archc cost` takes them.",
        ),
    ] = "",
    budget: Budget = None,
    out: Annotated[
        str,
        Parameter(
            name=["--out", "-o"],
            metavar="FILE.html",
            show_default=False,
            help="Write there, and print nothing.",
        ),
    ] = "-",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Write the design-review page of specs: one HTML file that needs nothing beside it.

    Verdicts, the folded graph, where parameters, FLOP and bytes go, growth with the length, what
    changed against the base, and every number with its formula. Sliders count anew without a
    server. A base with fewer positions bounds the lengths that nobody gave. A broken limit of a
    spec or of `--budget` makes the answer no; the page is written all the same.
    """
    from compiler.cli.beside import refuse_assume
    from compiler.cli.degrees import parse_degrees
    from compiler.cli.sizes import parse_sizes
    from compiler.cli.sources import DASH, spec_files, write_out
    from compiler.cli.tell import note, tell_diagnostics, tell_json
    from compiler.passes.setting import Setting
    from compiler.pipeline import report as review

    refuse_assume(assume, device)
    setting = Setting(precision, kernel, recompute, optimizer)
    paths = spec_files(specs)
    found = review(
        paths,
        base=base,
        set=settings or [],
        at=parse_sizes(at),
        setting=setting,
        device=device,
        assume=assume,
        degrees=parse_degrees(parallel or "dp=1"),
        budget=budget or [],
    )
    printed = out in ("-", DASH)
    if not printed or not as_json:
        write_out(found.html, out)
    if as_json:
        said = {"html": found.html} if printed else {"out": out}
        tell_json("report", {"ok": found.ok, "specs": paths, **said})
    for each in found.notes:
        note(each)
    tell_diagnostics(found.over)
    return 0 if found.ok else 1
