"""`archc fmt`: specs in their canonical form."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Flag, Json, Specs


def fmt(
    *specs: Specs,
    check: Annotated[bool, Flag, Parameter(help="Write nothing; fail where it would.")] = False,
    diff: Annotated[bool, Flag, Parameter(help="Write nothing; print what would change.")] = False,
    as_json: Json = False,
) -> int:
    """Write specs in their canonical form, comments kept.

    With `-`, read stdin and write stdout.
    """
    from compiler.cli.formatting import format_all
    from compiler.cli.sources import spec_files

    return format_all(spec_files(specs), write=not (check or diff), show=diff, as_json=as_json)
