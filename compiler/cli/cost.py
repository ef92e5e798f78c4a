"""`archc cost`: parameters, FLOPs and bytes."""

from typing import Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import Flag, Json, Set, Specs


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
    format: Annotated[Literal["text", "markdown"], Parameter(help="How to print.")] = "text",
    precision: Annotated[
        Literal["fp32", "bf16", "fp16"], Parameter(help="The type that bytes are counted in.")
    ] = "bf16",
    formulas: Annotated[bool, Flag, Parameter(help="Print closed formulas too.")] = False,
    primitives: Annotated[
        bool,
        Flag,
        Parameter(help="What mixes positions in these specs, side by side over their length `N`."),
    ] = False,
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Count parameters, FLOPs, memory and the attention matrix against the fused kernel.

    A broken budget of the spec makes the answer no. Several specs go with `--primitives`.
    A published config.json, or the folder of one, is counted as `archc import` reads it.
    """
    from compiler.answer import CannotAnswer
    from compiler.cli.sizes import parse_sizes
    from compiler.cli.sources import only_spec, spec_files
    from compiler.cli.tell import tell, tell_json
    from compiler.passes.setting import Setting
    from compiler.pipeline import cost as cost_spec
    from compiler.pipeline import primitives as compare

    if primitives:
        if format != "text":
            raise CannotAnswer("`--primitives` prints text, or JSON with `--json`")
        paths = spec_files(specs)
        mixers = compare(paths, set=settings or [], at=parse_sizes(at), precision=precision)
        if as_json:
            tell_json("primitives", {"ok": True, **mixers.document()})
        else:
            tell(mixers.text(formulas=formulas))
        return 0
    path = only_spec(specs)
    setting = Setting(precision)
    report = cost_spec(path, set=settings or [], at=parse_sizes(at), setting=setting)
    if as_json:
        tell_json("cost", {"ok": report.ok, **report.document(formulas=formulas)})
    elif format == "markdown":
        tell(report.markdown(formulas=formulas))
    else:
        tell(report.text(formulas=formulas))
    return 0 if report.ok else 1
