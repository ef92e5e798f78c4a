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
    device: Annotated[
        str,
        Parameter(
            metavar="NAME",
            show_default=False,
            help="Times and what fits on a device of the table (`list` prints it), of `FILE.yaml` "
            "or `FILE.yaml:NAME`, or on `this` machine, which is then measured.",
        ),
    ] = "",
    assume: Annotated[
        str,
        Parameter(
            metavar="efficiency=0.8,reserve=2GiB",
            show_default=False,
            help="Change what is assumed of the device: `efficiency`, `bandwidth`, `reserve`, "
            "`overhead`.",
        ),
    ] = "",
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

    if device == "list":
        return _list_devices(as_json)
    if assume and not device:
        raise CannotAnswer("`--assume` is about a device", "name one with `--device`")
    if primitives:
        if device:
            raise CannotAnswer("`--primitives` compares specs, not devices")
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
    there = report.on(device, assume) if device else None
    if as_json:
        placed = {"device": there.document()} if there else {}
        tell_json("cost", {"ok": report.ok, **report.document(formulas=formulas), **placed})
    elif format == "markdown":
        tell(report.markdown(formulas=formulas) + (f"\n{there.markdown()}" if there else ""))
    else:
        tell(report.text(formulas=formulas) + (f"\n{there.text()}" if there else ""))
    return 0 if report.ok else 1


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
