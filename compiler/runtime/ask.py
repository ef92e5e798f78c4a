"""Asking a built model: what it is for decides what it says."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.classes import Classes
from compiler.runtime.fit import check_ids
from compiler.runtime.generated import Generated
from compiler.runtime.generation import Row, Wanted, generate
from compiler.runtime.given import run_given
from compiler.runtime.opening import home, open_session
from compiler.runtime.outputs import Outputs
from compiler.runtime.pieces import Pieces
from compiler.runtime.placed import Placed
from compiler.runtime.published import Published, read_published
from compiler.runtime.request import Request, given_rows, tokenizer_of
from compiler.runtime.roles import Growing, growing, grown
from compiler.runtime.rows import batches, one_batch
from compiler.runtime.session import Session
from compiler.runtime.vectors import Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from compiler.runtime.rows import Rows

Said: TypeAlias = Generated | Vectors | Classes | Outputs
USUAL: Final = 256
"""Ids that are generated at most where nobody says how many."""
SCORES: Final = "logits"
"""The output [B, K] of a model with a head of classes."""


@dataclass
class Pace:
    """When ids came, in seconds from the beginning of reading."""

    began: float = field(default_factory=time.perf_counter)
    came: list[float] = field(default_factory=list)

    def tick(self) -> None:
        """An id has come."""
        self.came.append(time.perf_counter() - self.began)

    def text(self) -> str:
        """How many came, when the first one and how many a second after it."""
        if not self.came:
            return "no new ids"
        first, last, more = self.came[0], self.came[-1], len(self.came) - 1
        rate = f", {more / (last - first):.1f} ids a second after it" if last > first else ""
        return f"{len(self.came)} new ids, the first after {first:.3f} s{rate}"


class Asked(Frozen):
    """What a model said, where its nodes ran and, of ids that were generated, when they came."""

    said: Said
    nodes: tuple[Placed, ...]
    pace: Pace | None = None


def ask(
    folder: Path,
    request: Request,
    *,
    raw: bool = False,
    top: int = 5,
    options: Mapping[str, str] | None = None,
    stream: Callable[[str], None] | None = None,
    progress: Callable[[str, int, int, str], None] = lambda step, done, whole, unit: None,
) -> Asked:
    """Run the model of a built folder, which its file names too.

    It continues what it is given with `new`, and without it where it is made for that and is given
    words or a recording. Otherwise it gives the `top` likeliest classes, a vector for each row, or
    with `raw` and from any other model its outputs. `stream` is told the words of one row as they
    come; `options` are for CUDA's provider. Raises `CannotAnswer` where the request does not fit
    the model.
    """
    if top < 1:
        raise CannotAnswer("`--top` must be 1 or more")
    session = open_session(folder, options=options)
    beside = home(folder)
    published = read_published(beside)
    tokenizer = tokenizer_of(session, beside, request)
    rows = given_rows(session, request, tokenizer, beside, published)
    nodes = session.nodes()
    if request.new or (request.new is None and request.things and not raw and _continues(session)):
        pace = Pace()
        course = _Course(session, published, request, tokenizer, pace, stream, progress)
        return Asked(course.generated(rows), nodes, pace)
    return Asked(_once(session, rows, request, published, raw=raw, top=top), nodes)


def _continues(session: Session) -> bool:
    """Whether a model is for going on: it has a cache, or a source that it reads first."""
    grows = grown(session)
    return bool(session.past) or (grows is not None and grows.source is not None)


def _once(
    session: Session,
    rows: "Mapping[str, Rows]",
    request: Request,
    published: Published,
    *,
    raw: bool,
    top: int,
) -> Vectors | Classes | Outputs:
    """What one run of every batch gives."""
    import numpy as np

    name, shape = next(iter(session.outputs.items()))
    by_row = len(shape) == 2 and isinstance(shape[1], int) and isinstance(shape[0], str)
    if raw or not by_row or not all(len(each) for each in rows.values()):
        return Outputs(run_given(session, one_batch(session, rows)))
    found = [(each.rows, run_given(session, each.given)) for each in batches(session, rows)]
    order = [number for numbers, _ in found for number in numbers]
    whole = np.concatenate([outputs[name] for _, outputs in found])[np.argsort(order)]
    if name == SCORES:
        if not np.isfinite(whole).all():
            raise CannotAnswer("the scores of the classes are not finite")
        return Classes(whole, published.labels, top, request.things)
    return Vectors(name, whole, request.things)


@dataclass
class _Course:
    """Rows on their way."""

    session: Session
    published: Published
    request: Request
    tokenizer: "Tokenizer | None"
    pace: Pace
    stream: Callable[[str], None] | None
    progress: Callable[[str, int, int, str], None]

    def generated(self, rows: "Mapping[str, Rows]") -> Generated:
        """All rows, batch by batch."""
        grows = growing(self.session)
        _check(rows, grows)
        wanted = self._wanted(max(len(each) for each in rows[grows.ids]), grows)
        found: dict[int, Row] = {}
        parts = list(batches(self.session, rows))
        alone = sum(len(part.rows) for part in parts) == 1
        pieces = Pieces(self.tokenizer, self.stream) if alone and self.stream else None

        def told(row: int, chosen: int) -> None:
            self.pace.tick()
            if pieces is not None:
                pieces(chosen)
            else:
                self.progress("generate", len(self.pace.came), 0, "ids")

        for part in parts:
            made = generate(self.session, part.given, grows, wanted, rows=part.rows, told=told)
            found |= dict(zip(part.rows, made, strict=True))
        if pieces is not None:
            pieces.end()
        ordered = tuple(found[number] for number in sorted(found))
        decode = self.tokenizer.decode if self.tokenizer is not None else None
        texts = None if decode is None else tuple(decode(row.new) for row in ordered)
        return Generated(ordered, self.request.sampling, texts)

    def _wanted(self, prompt: int, grows: Growing) -> Wanted:
        """How rows go on; raises `CannotAnswer` where they would grow beyond what is read.

        The last id is written and never read."""
        import numpy as np

        request, published = self.request, self.published
        most = published.longest.get(grows.ids)
        room = None if most is None else most - prompt + 1
        new = request.new or min(USUAL, USUAL if room is None else room)
        if room is not None and new > room:
            raise CannotAnswer(
                f"`{grows.ids}` has {prompt} ids, and with {new} new ones these are more than the "
                f"{most} that the model reads",
                f"ask for at most {room} by `--new`",
            )
        if request.stop is not None:
            ids = self.session.outputs[grows.logits][-1]
            known = ids if isinstance(ids, int) else None
            check_ids("`--stop`", np.array(request.stop, np.int64), known)
        stop = published.stop if request.stop is None else request.stop
        barred = (published.never, published.never_first)
        return Wanted(new, request.sampling, stop, *barred)


def _check(rows: "Mapping[str, Rows]", grows: Growing) -> None:
    """Whether there is something to continue."""
    prompts = rows.get(grows.ids)
    if prompts is None:
        raise CannotAnswer(f"nothing is given to continue in `{grows.ids}`", _remedy(grows))
    if not len(prompts) or not all(each.ndim == 1 and len(each) for each in prompts):
        raise CannotAnswer(f"`{grows.ids}` must be sequences of at least one id to continue")


def _remedy(grows: Growing) -> str:
    if grows.source is None:
        return "give words, or ids by `--ids 1,2,3`"
    return "give its first ids by `--start`"
