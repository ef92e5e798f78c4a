"""`archc run`: a built model on what it is given."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from compiler.cli.options import Arrays, Build, Json, ProviderOptions, Tokenizer


def run(
    build: Build,
    /,
    *given: Annotated[
        str,
        Parameter(
            help="Words, or files: a recording (.wav), a picture (.png, .jpg) or an array (.npy), "
            "each a row of its own; `-` reads words from stdin, a row a line.",
        ),
    ],
    ids: Annotated[
        list[str] | None,
        Parameter(
            metavar="[NAME=]1,2,3",
            negative="",
            show_default=False,
            help="Ids for an input, the source or the prompt without its name; again for more "
            "rows and other inputs.",
        ),
    ] = None,
    tokenizer: Tokenizer = None,
    input: Arrays = None,
    new: Annotated[
        int | None,
        Parameter(
            metavar="N",
            show_default=False,
            help="Generate at most N ids; without it up to 256 after words and recordings.",
        ),
    ] = None,
    start: Annotated[
        str | None,
        Parameter(
            metavar="1,2",
            show_default=False,
            help="First ids of a decoder that reads a source, instead of the published ones.",
        ),
    ] = None,
    stop: Annotated[
        str | None,
        Parameter(
            metavar="1,2",
            show_default=False,
            help="Ids that end generation, instead of the published ones.",
        ),
    ] = None,
    temperature: Annotated[
        float | None,
        Parameter(
            metavar="X",
            show_default=False,
            help="Draw from softmax(logits / X); 0, the default without `--top-k` and `--top-p`, "
            "takes the likeliest.",
        ),
    ] = None,
    top_k: Annotated[
        int | None,
        Parameter(metavar="K", show_default=False, help="Draw from the K likeliest ids alone."),
    ] = None,
    top_p: Annotated[
        float | None,
        Parameter(
            metavar="P",
            show_default=False,
            help="Draw from the fewest ids whose chances reach P together.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        Parameter(
            metavar="N", show_default=False, help="Seed of the draws, one more a row (default 0)."
        ),
    ] = None,
    top: Annotated[int, Parameter(metavar="N", help="Classes to print of each row.")] = 5,
    out: Annotated[
        str | None,
        Parameter(
            metavar="FILE",
            show_default=False,
            help="Write every output to an .npz file, or vectors to an .npy file, and print none.",
        ),
    ] = None,
    provider_option: ProviderOptions = None,
    verbose: Annotated[
        bool,
        Parameter(
            name=["--verbose", "-v"],
            negative="",
            show_default=False,
            help="Say on stderr how fast ids came and what the nodes ran on; with `--json` each "
            "node's too.",
        ),
    ] = False,
    as_json: Json = False,
) -> int:
    """Run a built model in ONNX Runtime on words, recordings, pictures, ids or arrays.

    A decoder goes on: its words come as they are made. A model with classes gives the likeliest, an
    encoder of sentences a vector for each as a line of JSON, any other its outputs. A decoder with
    a cache reads each id once. Masks and segments that are not given hide nothing.
    """
    from compiler.answer import CannotAnswer
    from compiler.cli.progress import Progress
    from compiler.cli.provider_options import parse_options
    from compiler.cli.running import Shown, asked_things, id_list, note_run, sampling_of
    from compiler.runtime.ask import ask
    from compiler.runtime.request import Request

    if out is not None and new:
        raise CannotAnswer("`--out` is for outputs and vectors, not for what is generated")
    request = Request(
        things=asked_things(given),
        ids=tuple(ids or ()),
        tokenizer=Path(tokenizer) if tokenizer else None,
        arrays=Path(input) if input else None,
        new=new if out is None else 0,
        start=id_list("--start", start),
        stop=id_list("--stop", stop),
        sampling=sampling_of(temperature, top_k, top_p, seed),
    )
    shown = Shown(as_json=as_json, out=out, nodes=verbose)
    with Progress() as progress:
        try:
            asked = ask(
                Path(build),
                request,
                raw=shown.raw,
                top=top,
                options=parse_options(provider_option or []),
                stream=shown.stream,
                progress=progress,
            )
        finally:
            shown.end()
    shown.tell(build, asked)
    if verbose:
        note_run(asked)
    return 0
