"""`archc graph`: the graph as a picture."""

from typing import Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import Flag, Json, OneSpec, Set


def graph(
    spec: OneSpec,
    /,
    *,
    format: Annotated[
        Literal["svg", "mermaid", "dot"], Parameter(help="The language to draw in.")
    ] = "svg",
    expand: Annotated[bool, Flag, Parameter(help="Draw every layer; do not fold repeats.")] = False,
    out: Annotated[
        str, Parameter(metavar="FILE", help="Write here instead of stdout.", show_default=False)
    ] = "-",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Draw the graph with shapes on its edges; repeated layers stay folded."""
    from compiler.cli.sources import one_spec, write_out
    from compiler.cli.tell import tell_json
    from compiler.pipeline import graph as draw

    drawing = draw(one_spec(spec), format, expand, set=settings or [])
    if as_json:
        tell_json("graph", {"format": format, "expanded": expand, "text": drawing})
    else:
        write_out(drawing, out)
    return 0
