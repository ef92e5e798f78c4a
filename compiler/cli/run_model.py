"""`archc run`: a built model on inputs, or what it generates."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Arrays, Build, Json, Tokenizer, Words


def run(
    build: Build,
    /,
    *,
    ids: Annotated[
        list[str] | None,
        Parameter(
            metavar="[NAME=]1,2,3",
            negative="",
            show_default=False,
            help="Ids for an input, the source or the prompt without its name; may be repeated.",
        ),
    ] = None,
    text: Words = None,
    tokenizer: Tokenizer = None,
    input: Arrays = None,
    new: Annotated[
        int, Parameter(metavar="N", show_default=False, help="Generate at most N ids.")
    ] = 0,
    start: Annotated[
        int | None,
        Parameter(
            metavar="ID", show_default=False, help="First id of a decoder that reads an encoder."
        ),
    ] = None,
    stop: Annotated[
        int | None,
        Parameter(metavar="ID", show_default=False, help="The id that ends generation."),
    ] = None,
    temperature: Annotated[
        float, Parameter(metavar="X", help="Draw from softmax(logits / X); 0 takes the likeliest.")
    ] = 0.0,
    top_k: Annotated[
        int | None,
        Parameter(metavar="K", show_default=False, help="Draw from the K likeliest ids alone."),
    ] = None,
    seed: Annotated[int, Parameter(metavar="N", help="Seed of the draws.")] = 0,
    out: Annotated[
        str | None,
        Parameter(
            metavar="FILE.npz", show_default=False, help="Write the outputs there, and print none."
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Run a built model in ONNX Runtime: print its outputs, or what it generates.

    With `--new` a decoder continues the ids it is given, reading each once. A model with a source
    takes whole sequences, so every new id computes all of them again. Masks and segments that are
    not given hide nothing.
    """
    from compiler.answer import CannotAnswer
    from compiler.cli.progress import Progress
    from compiler.cli.tell import tell, tell_json
    from compiler.runtime.outputs import Outputs
    from compiler.runtime.request import Request, ask
    from compiler.runtime.sampling import Sampling

    if out is not None and new:
        raise CannotAnswer("`--out` is for outputs, not for what is generated")
    request = Request(
        ids=tuple(ids or ()),
        text=text,
        tokenizer=Path(tokenizer) if tokenizer else None,
        arrays=Path(input) if input else None,
        new=new,
        start=start,
        stop=stop,
        sampling=Sampling(temperature, top_k, seed),
    )
    with Progress() as progress:
        answer = ask(Path(build), request, progress)
    if isinstance(answer, Outputs) and out is not None:
        answer.save(Path(out))
    if as_json:
        said = answer.document() if out is None else {"out": out}
        tell_json("run", {"ok": answer.ok, "build": build, **said})
    elif out is None:
        tell(answer.text())
    return 0
