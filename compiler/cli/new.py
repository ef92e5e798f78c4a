"""`archc new`: start a spec from a commented template."""

from typing import Annotated, Literal

from cyclopts import Parameter

from compiler.cli.options import Json


def new(
    name: Annotated[str, Parameter(help="The model's name, perhaps with folders before it.")],
    /,
    *,
    template: Annotated[
        Literal["decoder", "llama", "encoder", "encoder-decoder", "vit"],
        Parameter(name="--from", help="The template to start from."),
    ] = "decoder",
    as_json: Json = False,
) -> int:
    """Start a spec from a commented template; writes NAME.yaml and never over a file.

    `archc new specs/decoder/tiny --from llama` writes specs/decoder/tiny.yaml, a model `tiny`.
    """
    from compiler.cli.starting import start
    from compiler.cli.tell import note, tell, tell_json

    path = start(name, template)
    if as_json:
        tell_json("new", {"path": str(path), "template": template})
    else:
        tell(str(path))
        note(f"`archc build {path}` compiles it")
    return 0
