"""`archc schema`: the JSON Schema of the language."""

from compiler.cli.options import Json


def schema(*, as_json: Json = False) -> int:
    """Print the JSON Schema (2020-12) of the spec language, for editors and other tools.

    `# yaml-language-server: $schema=PATH` as the first line of a spec gives it to editors. Where a
    project keeps it as archspec.schema.json, `archc new` names it. With `--json` the schema stands
    inside the usual document, under `schema`.
    """
    import json

    from archspec.schema import json_schema
    from compiler.cli.tell import tell, tell_json

    if as_json:
        tell_json("schema", {"schema": json_schema()})
    else:
        tell(json.dumps(json_schema(), indent=2, ensure_ascii=False))
    return 0
