"""`archc attend`: where a built model looks, as heat maps."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Arrays, Build, Json, Tokenizer


def attend(
    build: Build,
    /,
    *,
    ids: Annotated[
        list[str] | None,
        Parameter(
            metavar="[NAME=]1,2,3",
            negative="",
            show_default=False,
            help="Ids for an input, the first one without its name; may be repeated.",
        ),
    ] = None,
    text: Annotated[
        str | None, Parameter(show_default=False, help="Words instead, through the tokenizer.")
    ] = None,
    tokenizer: Tokenizer = None,
    input: Arrays = None,
    layer: Annotated[
        str | None,
        Parameter(
            metavar="PLACE",
            show_default=False,
            help="One place, such as h.3.attn, all below h.3, or a layer by its number.",
        ),
    ] = None,
    head: Annotated[
        int | None, Parameter(metavar="N", show_default=False, help="One head, from 0.")
    ] = None,
    out: Annotated[
        str | None,
        Parameter(metavar="FILE.html", show_default=False, help="Write there, and print nothing."),
    ] = None,
    as_json: Json = False,
) -> int:
    """Show the attention weights of a built model for an input, as one HTML page of heat maps.

    Runs the folder's attend.py, the model with its attention written out. Weights show where the
    mixture went, not what the model relied on.
    """
    from compiler.cli.progress import Progress
    from compiler.cli.sources import check_out, is_stdout, write_out
    from compiler.cli.tell import tell, tell_json
    from compiler.report.attention_page import attention_page
    from compiler.runtime.attention import attend as looked
    from compiler.runtime.request import Request

    request = Request(
        things=() if text is None else (text,),
        ids=tuple(ids or ()),
        tokenizer=Path(tokenizer) if tokenizer else None,
        arrays=Path(input) if input else None,
    )
    check_out(out or "")
    with Progress() as progress:
        found = looked(Path(build), request, layer=layer, head=head, progress=progress)
    printed = out is None or is_stdout(out)
    if out is not None and not printed:
        write_out(attention_page(found), out)
    if as_json:
        said = found.document() if printed else {"out": out}
        tell_json("attend", {"ok": True, "build": build, **said})
    elif printed:
        tell(attention_page(found))
    return 0
