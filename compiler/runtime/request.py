"""One question to a built model: what it is given, and whether it continues that."""

from collections.abc import Callable
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.generation import Generated, generate
from compiler.runtime.given import parse_ids, read_arrays, run_given
from compiler.runtime.outputs import Outputs
from compiler.runtime.roles import Growing, growing, id_inputs
from compiler.runtime.sampling import Sampling
from compiler.runtime.session import Session, open_session
from compiler.runtime.tokenizer import TOKENIZER, open_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from compiler.runtime.session import Array


class Request(Frozen):
    """What a model is asked.

    Attributes:
        ids: lists such as `1,2,3` or `tgt_ids=1,2`, each for one input.
        text: words for the first input of ids, through the tokenizer.
        tokenizer: its file; without it, `tokenizer.json` of the built folder.
        arrays: an .npz file with inputs by name.
        new: how many ids to generate at most; 0 runs the model once.
        start: the first id of a decoder that reads an encoder.
        stop: the id that ends generation.
    """

    ids: tuple[str, ...] = ()
    text: str | None = None
    tokenizer: Path | None = None
    arrays: Path | None = None
    new: int = 0
    start: int | None = None
    stop: int | None = None
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        if self.new < 0:
            raise CannotAnswer("`--new` must be 0 or more")
        if self.text is not None and not self.text.strip():
            raise CannotAnswer("`--text` is empty")
        if not self.new and (self.stop is not None or self.sampling != Sampling()):
            raise CannotAnswer("nothing is generated", "say how many ids at most, as `--new 20`")


def ask(
    folder: Path,
    request: Request,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> Generated | Outputs:
    """Run the model of a built folder; raises `CannotAnswer` where the request does not fit it."""
    session = open_session(folder)
    tokenizer = tokenizer_of(folder, request)
    given = given_arrays(session, request, tokenizer)
    if not request.new:
        return Outputs(run_given(session, given))
    grows = growing(session)
    prompt = given.get(grows.ids)
    if prompt is None:
        raise CannotAnswer(f"nothing is given to continue in `{grows.ids}`", _remedy(grows))
    if prompt.ndim != 2 or prompt.shape[0] != 1 or not prompt.shape[1]:
        raise CannotAnswer(f"`{grows.ids}` must be one sequence of at least one id to continue")
    said = generate(
        session,
        given,
        grows,
        request.new,
        sampling=request.sampling,
        stop=request.stop,
        progress=progress,
    )
    if tokenizer is None:
        return said
    return replace(said, new_text=tokenizer.decode(list(said.new_ids)))


def given_arrays(
    session: Session, request: Request, tokenizer: "Tokenizer | None"
) -> "dict[str, Array]":
    """The arrays of a request by the input they are for."""
    import numpy as np

    first, started = _places(session)
    found = parse_ids(request.ids, first)
    if tokenizer is not None and request.text is not None:
        if first is None or first in found:
            raise CannotAnswer("`--text` is for an input of ids that is not given otherwise")
        found[first] = tokenizer.encode(request.text).ids
        if not found[first]:
            raise CannotAnswer("the tokenizer finds no ids in `--text`")
    if request.start is not None:
        if started is None or started in found or request.start < 0:
            raise CannotAnswer(
                "`--start` is the first id of a decoder that reads an encoder",
                "give what a decoder alone continues by `--ids`",
            )
        found[started] = [request.start]
    arrays = {} if request.arrays is None else read_arrays(request.arrays)
    twice = next((name for name in found if name in arrays), None)
    if twice is not None:
        raise CannotAnswer(f"`{twice}` is given twice")
    return {**arrays, **{name: np.array([ids], np.int64) for name, ids in found.items()}}


def _places(session: Session) -> tuple[str | None, str | None]:
    """The input that words without a name are for, and the one that `--start` starts."""
    ids = id_inputs(session)
    try:
        grows = growing(session)
    except CannotAnswer:
        return (ids[0] if ids else None), None
    return grows.source or grows.ids, grows.ids if grows.source else None


def tokenizer_of(folder: Path, request: Request) -> "Tokenizer | None":
    """The tokenizer of a request that has to do with words."""
    if request.text is None and request.tokenizer is None:
        return None
    tokenizer = open_tokenizer(request.tokenizer or folder / TOKENIZER)
    tokenizer.no_padding()
    return tokenizer


def _remedy(grows: Growing) -> str:
    if grows.source is None:
        return "give it by `--ids 1,2,3` or `--text`"
    return "give its first id by `--start`"
