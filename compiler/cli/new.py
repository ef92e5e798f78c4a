"""`archc new`: start a spec from a commented template or from a released model."""

from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Flag, Json


def new(
    name: Annotated[
        str,
        Parameter(help="The model's name, perhaps with folders before it.", show_default=False),
    ] = "",
    /,
    *,
    template: Annotated[
        str,
        Parameter(
            name="--from",
            help="A commented template, as `llama`, or a released model, as `llama3-70b`.",
        ),
    ] = "decoder",
    list: Annotated[
        bool, Flag, Parameter(help="Print what there is to start from, one a line.")
    ] = False,
    workflow: Annotated[
        bool,
        Flag,
        Parameter(
            help="Write .github/workflows/specs.yml instead: checks, budgets and differences on "
            "pull requests."
        ),
    ] = False,
    as_json: Json = False,
) -> int:
    """Start a spec from a template or a released model; writes NAME.yaml and never over a file.

    `archc new specs/decoder/tiny --from llama` writes specs/decoder/tiny.yaml, a model `tiny`.
    """
    from compiler.answer import CannotAnswer
    from compiler.cli.starting import origins, start, start_workflow
    from compiler.cli.tell import note, tell, tell_json

    if list:
        if as_json:
            tell_json("new", {"origins": origins()})
        else:
            tell("\n".join(f"{word}  {about}" for word, about in padded(origins())))
        return 0
    if workflow:
        if name:
            raise CannotAnswer("`--workflow` writes a file of its own name", "leave the name out")
        path = start_workflow()
        if as_json:
            tell_json("new", {"path": str(path), "template": "workflow"})
        else:
            tell(str(path))
        return 0
    if not name:
        raise CannotAnswer("no name given", "as in `archc new specs/decoder/tiny --from llama`")
    path = start(name, template)
    if as_json:
        tell_json("new", {"path": str(path), "template": template})
    else:
        tell(str(path))
        note(f"`archc build {path}` compiles it")
    return 0


def padded(words: dict[str, str]) -> list[tuple[str, str]]:
    """Words as wide as the widest, with what is said about them."""
    width = max(map(len, words))
    return [(f"{word:<{width}}", about) for word, about in words.items()]
