"""`archc bench`: how fast a built model runs here."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Build, Json, ProviderOptions


def bench(
    build: Build,
    /,
    *,
    at: Annotated[
        list[str] | None,
        Parameter(
            metavar="B=1,4|T=128,512",
            negative="",
            show_default=False,
            help="Batches `B` or lengths `T` to time at, every one with every other; without it, "
            "B=1 and T=128. May be repeated.",
        ),
    ] = None,
    steps: Annotated[
        int, Parameter(metavar="N", help="Ids that a decoder makes after each prompt.")
    ] = 32,
    repeat: Annotated[
        int, Parameter(metavar="N", help="Runs that are timed after one to warm up, 5 or more.")
    ] = 5,
    threads: Annotated[
        int, Parameter(metavar="N", help="Threads within an operator; 0 is one a core.")
    ] = 0,
    provider_option: ProviderOptions = None,
    compare: Annotated[
        str | None,
        Parameter(
            metavar="OTHER",
            show_default=False,
            help="Another folder with a model.onnx, or an .onnx file, timed by turns.",
        ),
    ] = None,
    plot: Annotated[
        str,
        Parameter(
            metavar="FILE.svg",
            show_default=False,
            help="Draw the times over the lengths there; `-` prints the drawing instead.",
        ),
    ] = "",
    as_json: Json = False,
) -> int:
    """Time a built model in ONNX Runtime, each batch and length in a process of its own.

    Of a decoder the prefill, behind an encoder that of a source as long too, the time to the first
    id and the steps after it; of any other model a whole input. Beside the percentiles stand what
    happens a second, the share of the roofline of this machine, which is measured then, the peak
    memory of the process, and how many times as long as the first model another takes.
    """
    from functools import partial
    from pathlib import Path

    from compiler.answer import CannotAnswer
    from compiler.cli.grid import parse_grid
    from compiler.cli.progress import Progress
    from compiler.cli.provider_options import parse_options
    from compiler.cli.sources import check_out, is_stdout, write_out
    from compiler.cli.tell import tell, tell_json
    from compiler.report.device.this import this_machine
    from compiler.runtime.bench.bench import bench as time

    drawn = is_stdout(plot)
    if plot and not drawn and Path(plot).suffix.lower() not in ("", ".svg"):
        raise CannotAnswer(f"`--plot` draws an SVG, and `{plot}` is called otherwise")
    check_out(plot)
    if drawn and as_json:
        raise CannotAnswer("`--plot -` and `--json` are two answers", "draw into a file")
    builds = [build] if compare is None else [build, compare]
    with Progress() as progress:
        found = time(
            builds,
            parse_grid(at or []),
            machine=partial(this_machine, threads),
            steps=steps,
            repeat=repeat,
            threads=threads,
            options=parse_options(provider_option or []),
            progress=progress,
        )
    if plot:
        write_out(found.plot(), plot)
    if drawn:
        return 0
    if as_json:
        tell_json("bench", {"ok": found.ok, **found.document()})
    else:
        tell(found.text())
    return 0
