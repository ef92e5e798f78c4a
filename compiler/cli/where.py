"""`archc where`: the spec line behind a generated line."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Json


def where(
    place: Annotated[str, Parameter(metavar="FILE:LINE", help="A line of a generated file.")],
    /,
    *,
    as_json: Json = False,
) -> int:
    """Find the spec line behind a line of a generated file, and print it.

    The folder's manifest knows; for files moved elsewhere, the `# spec:` marks above the line do.
    """
    from compiler.cli.tell import tell, tell_json
    from compiler.cli.tracing import trace

    found = trace(place)
    if as_json:
        tell_json("where", found.document())
    else:
        tell(found.text())
    return 0
