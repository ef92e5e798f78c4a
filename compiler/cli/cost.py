"""`archc cost`: parameters, FLOPs and bytes."""

from typing import Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import Flag, Json, OneSpec, Set


def cost(
    spec: OneSpec,
    /,
    *,
    at: Annotated[
        str,
        Parameter(
            metavar="B=1,S=8192",
            show_default=False,
            help="Sizes to count at; without it, one sequence of the context length.",
        ),
    ] = "",
    format: Annotated[Literal["text", "markdown"], Parameter(help="How to print.")] = "text",
    precision: Annotated[
        Literal["fp32", "bf16", "fp16"], Parameter(help="The type that bytes are counted in.")
    ] = "bf16",
    formulas: Annotated[bool, Flag, Parameter(help="Print closed formulas too.")] = False,
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Count parameters, FLOPs, memory and the attention matrix against the fused kernel.

    A broken budget of the spec makes the answer no.
    """
    from compiler.cli.sizes import parse_sizes
    from compiler.cli.sources import one_spec
    from compiler.cli.tell import tell, tell_json
    from compiler.pipeline import cost as cost_spec

    report = cost_spec(one_spec(spec), set=settings or [], at=parse_sizes(at), precision=precision)
    if as_json:
        tell_json("cost", {"ok": report.ok, **report.document(formulas=formulas)})
    elif format == "markdown":
        tell(report.markdown(formulas=formulas))
    else:
        tell(report.text(formulas=formulas))
    return 0 if report.ok else 1
