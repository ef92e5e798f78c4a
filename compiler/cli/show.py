"""`archc show`: the resolved spec, or the program after a pass."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Flag, Json, OneSpec, Set


def show(
    spec: OneSpec,
    /,
    *,
    resolved: Annotated[
        bool, Flag, Parameter(help="Every default explicit, with where it came from (the default).")
    ] = False,
    ir: Annotated[
        str,
        Parameter(
            metavar="after:PASS",
            show_default=False,
            help="The program's text after lower, shapes, fold, fuse or stateless.",
        ),
    ] = "",
    settings: Set = None,
    as_json: Json = False,
) -> int:
    """Print the resolved spec with the origin of every value, or the program after a pass."""
    from compiler.answer import CannotAnswer
    from compiler.cli.sources import one_spec
    from compiler.cli.tell import tell, tell_json
    from compiler.pipeline import show as show_spec

    if resolved and ir:
        raise CannotAnswer("`--resolved` and `--ir` exclude each other", "give one of them")
    stage = ir or "resolved"
    text = show_spec(one_spec(spec), stage, set=settings or [])
    if as_json:
        tell_json("show", {"stage": stage, "text": text})
    else:
        tell(text)
    return 0
