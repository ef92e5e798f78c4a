"""`archc import`: a published config as a spec that a person can read."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Flag, Json


def import_config(
    model: Annotated[
        str,
        Parameter(
            help="A config.json of transformers, or the folder that holds it and perhaps weights.",
            show_default=False,
        ),
    ] = "",
    /,
    *,
    out: Annotated[
        str,
        Parameter(
            name=["--out", "-o"],
            metavar="FILE",
            help="The spec to write, never over a file; `-` is stdout.",
        ),
    ] = "-",
    list: Annotated[
        bool, Flag, Parameter(help="Print the known model types, one a line, and their families.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Write the spec of a published config.json; `archc build` then takes its folder's weights.

    A key of the config that says something and that nothing reads is an error, never ignored.
    """
    from compiler.answer import CannotAnswer
    from compiler.cli.importing import print_types, write_spec

    if list:
        return print_types(as_json=as_json)
    if not model:
        raise CannotAnswer("no config given", "name a config.json or the folder that holds it")
    return write_spec(model, out, as_json=as_json)
