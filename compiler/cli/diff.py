"""`archc diff`: what changed between two specs, in structure and costs."""

from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import (
    Assume,
    Budget,
    CountedPrecision,
    CountedTarget,
    Json,
    Kernel,
    Optimizer,
    Recompute,
    Set,
)

if TYPE_CHECKING:
    from compiler.report.diff.deployed import Deployed
    from compiler.report.diff.difference import Difference


def diff(
    before: Annotated[
        str,
        Parameter(
            help="A spec, a config.json, a built folder or `-`; `FILE@REVISION` is read from git."
        ),
    ],
    after: Annotated[
        str,
        Parameter(
            show_default=False,
            help="The same; without it the working copy of BEFORE, or BEFORE with `--set`.",
        ),
    ] = "",
    /,
    *,
    at: Annotated[
        str,
        Parameter(
            metavar="B=1,S=8192",
            show_default=False,
            help="Sizes to count both at; without it, the shorter of their context lengths.",
        ),
    ] = "",
    format: Annotated[
        Literal["text", "markdown", "json"],
        Parameter(help="How to print; `markdown` is a comment for a pull request."),
    ] = "text",
    precision: CountedPrecision = "bf16",
    target: CountedTarget = "",
    kernel: Kernel = "fused",
    recompute: Recompute = "none",
    optimizer: Optimizer = "adamw",
    device: Annotated[
        str,
        Parameter(
            metavar="NAME",
            show_default=False,
            help="Times and what fits of both on a device, as `archc cost` takes it.",
        ),
    ] = "",
    assume: Assume = "",
    parallel: Annotated[
        str,
        Parameter(
            metavar="tp=8,pp=4,dp=16",
            show_default=False,
            help="What the fullest rank of both keeps, spread as `archc cost` spreads them.",
        ),
    ] = "",
    budget: Budget = None,
    growth: Annotated[
        str,
        Parameter(
            metavar="parameters=5%,kv_bytes=0",
            show_default=False,
            help="How much totals of `archc cost --json` may grow before the answer is no.",
        ),
    ] = "",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Tell what changed between two specs, which lines say so, and what it costs.

    `archc diff a.yaml@main` compares a revision with the working copy, `archc diff a.yaml b.yaml`
    two specs, `archc diff a.yaml --set d_model=2048` a spec with a change of it; `--set` is for
    the second spec. The working tree is never touched, and what a spec extends is read from the
    same revision. A difference is no failure: the answer is no, exit code 1, only where the second
    spec breaks a limit of its own or of `--budget`, or grows more than `--growth` allows.
    """
    from compiler.cli.beside import refuse_assume
    from compiler.cli.sizes import parse_sizes
    from compiler.cli.sources import one_side
    from compiler.cli.tell import tell, tell_json
    from compiler.passes.choosing import chosen
    from compiler.pipeline import diff as compare

    refuse_assume(assume, device)
    trained = {"kernel": kernel, "recompute": recompute, "optimizer": optimizer}
    found = compare(
        one_side(before),
        one_side(after) if after else "",
        set=settings or [],
        at=parse_sizes(at),
        budget=budget or [],
        growth=growth,
        setting=chosen(precision, target, "--", **trained),
    )
    parts = _deployed(found, device, assume, parallel)
    if as_json or format == "json":
        more = {name: part.document() for name, part in parts.items()}
        tell_json("diff", {"ok": found.ok, **found.document(), **more})
    elif format == "markdown":
        tell("\n".join([found.markdown(), *(part.markdown() for part in parts.values())]))
    else:
        tell("\n".join([found.text(), *(part.text() for part in parts.values())]))
    return 0 if found.ok else 1


def _deployed(
    found: "Difference", device: str, assume: str, parallel: str
) -> "dict[str, Deployed]":
    """Both sides where they are asked for; the device is looked up, or measured, once."""
    from compiler.cli.degrees import across
    from compiler.report.diff import deployed

    parts, room = {}, None
    if device:
        new = found.after.on(device, assume)
        room, old = new.room, found.before.on(new.device, assume)
        parts["device"] = deployed.on_device(old, new)
    if parallel:
        ranks = [across(report, parallel) for report in (found.before, found.after)]
        if ranks[0] and ranks[1]:
            parts["parallel"] = deployed.across(ranks[0], ranks[1], room)
    return parts
