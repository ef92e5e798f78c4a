"""One question to a built model: what it is given, and whether it continues that."""

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.array_files import read_arrays
from compiler.runtime.fit import check_fit
from compiler.runtime.given import check_names, parse_ids
from compiler.runtime.published import Published
from compiler.runtime.roles import grown, id_inputs
from compiler.runtime.sampling import Sampling
from compiler.runtime.senses import refuse_words
from compiler.runtime.session import Session
from compiler.runtime.things import is_file, is_sound, read_file
from compiler.runtime.tokenizer import TOKENIZER, ids_of, open_tokenizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokenizers import Tokenizer

    from compiler.runtime.kept import Array
    from compiler.runtime.rows import Rows


class Request(Frozen):
    """What a model is asked.

    Attributes:
        things: a row each: words for the first input of ids, or the name of a file.
        ids: lists such as `1,2,3` or `tgt_ids=1,2`, each a row of one input.
        tokenizer: its file; without it, `tokenizer.json` of the built folder.
        arrays: an .npz file with inputs by name.
        new: how many ids to generate at most; 0 runs the model once, None leaves it to what is
            given.
        start: the first ids of a decoder that reads an encoder; None takes the published ones.
        stop: the ids that end generation; None takes the published ones.
    """

    things: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    tokenizer: Path | None = None
    arrays: Path | None = None
    new: int | None = None
    start: tuple[int, ...] | None = None
    stop: tuple[int, ...] | None = None
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        if self.new is not None and self.new < 0:
            raise CannotAnswer("`--new` must be 0 or more")
        if not all(each.strip() for each in self.things):
            raise CannotAnswer("the words are empty")
        drawn = self.stop is not None or self.sampling != Sampling()
        if drawn and not self.new and (self.new == 0 or not self.things):
            raise CannotAnswer("nothing is generated", "say how many ids at most, as `--new 20`")

    @property
    def words(self) -> tuple[str, ...]:
        """What is given and is no file."""
        return tuple(each for each in self.things if not is_file(each))

    @property
    def heard(self) -> bool:
        """Whether a recording is given."""
        return any(map(is_sound, self.things))


def given_rows(
    session: Session,
    request: Request,
    tokenizer: "Tokenizer | None",
    folder: Path,
    published: Published,
) -> "dict[str, Rows]":
    """The rows of a request, without an axis for them, by the input they are for.

    Raises `CannotAnswer` where the request does not fit the model.
    """
    import numpy as np

    first, started = _places(session)
    found = parse_ids(request.ids, first)
    check_names(session, found)
    if tokenizer is not None and request.words:
        if first is None or first in found:
            raise CannotAnswer("words are for an input of ids that is not given otherwise")
        found[first] = ids_of(tokenizer, request.words)
    if started is not None and started not in found:
        start = published.start if request.start is None else request.start
        found |= {started: [list(start)]} if start else {}
    elif request.start is not None:
        raise CannotAnswer(
            "`--start` has the first ids of a decoder that reads an encoder",
            "give what a decoder alone continues by `--ids`",
        )
    rows: dict[str, Rows] = {
        name: [np.array(each, np.int64) for each in lists] for name, lists in found.items()
    }
    files: dict[str, list[Array]] = {}
    for thing in filter(is_file, request.things):
        name, row = read_file(session, folder, thing)
        files.setdefault(name, []).append(row)
    arrays: Mapping[str, Array] = {} if request.arrays is None else read_arrays(request.arrays)
    names = [*rows, *files, *arrays]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None and twice == started and request.start is None:
        del rows[twice]
    elif twice is not None:
        raise CannotAnswer(f"`{twice}` is given twice")
    given = {**rows, **files, **arrays}
    check_fit(given, published)
    return given


def _places(session: Session) -> tuple[str | None, str | None]:
    """The input that words without a name are for, and the one that `--start` starts."""
    ids = id_inputs(session)
    grows = grown(session)
    if grows is None:
        return (ids[0] if ids else None), None
    first = grows.source if grows.source in ids else grows.ids
    return first, grows.ids if grows.source else None


def tokenizer_of(session: Session, folder: Path, request: Request) -> "Tokenizer | None":
    """The tokenizer of a request that has to do with words: they are given, or heard.

    Raises `CannotAnswer` where words are all that is given to a model that reads none.
    """
    if request.words and request.arrays is None and not any(map(is_file, request.things)):
        refuse_words(session)
    own = folder / TOKENIZER
    if not request.words and request.tokenizer is None and not (request.heard and own.is_file()):
        return None
    tokenizer = open_tokenizer(request.tokenizer or own)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
