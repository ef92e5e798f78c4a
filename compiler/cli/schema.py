"""`archc schema`: the JSON Schema of the language, and of answers of `--json`."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Json


def schema(
    *,
    of: Annotated[
        str,
        Parameter(
            metavar="KIND",
            help="What is described: `spec`, or a command's `--json` by its `kind`.",
        ),
    ] = "spec",
    as_json: Json = False,
) -> int:
    """Print the JSON Schema (2020-12) of the spec language, for editors and other tools.

    `# yaml-language-server: $schema=PATH` as the first line of a spec gives it to editors. Where a
    project keeps it as archspec.schema.json, `archc new` names it. With `--json` the schema stands
    inside the usual document, under `schema`.
    """
    import json

    from compiler.cli.documents import schema_of
    from compiler.cli.tell import tell, tell_json

    if as_json:
        tell_json("schema", {"schema": schema_of(of)})
    else:
        tell(json.dumps(schema_of(of), indent=2, ensure_ascii=False))
    return 0
