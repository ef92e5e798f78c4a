"""Continuing rows of ids, one id a step, by a built model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.continued import Continued
from compiler.runtime.given import run_given
from compiler.runtime.roles import Growing, owner
from compiler.runtime.sampling import Sampling
from compiler.runtime.session import Session

if TYPE_CHECKING:
    import numpy as np

    from compiler.runtime.kept import Array

SAME: Final = 1e-3
"""How far logits may lie apart, relative to the largest, that rounding alone sets apart."""


class Wanted(Frozen):
    """How rows go on.

    Attributes:
        new: the most ids that a row gets.
        stop: ids that end a row.
        never, never_first: ids that are not chosen, at all or as the first one.
    """

    new: int
    sampling: Sampling = field(default_factory=Sampling)
    stop: tuple[int, ...] = ()
    never: tuple[int, ...] = ()
    never_first: tuple[int, ...] = ()


@dataclass
class Row:
    """One sequence: the ids that it begins with, those that came after, without the one that
    stops, and whether that came."""

    prompt: tuple[int, ...]
    draws: "np.random.Generator" = field(compare=False, repr=False)
    new: list[int] = field(default_factory=list)
    stopped: bool = False


def generate(
    session: Session,
    given: "Mapping[str, Array]",
    grows: Growing,
    wanted: Wanted,
    *,
    rows: tuple[int, ...] = (0,),
    told: Callable[[int, int], None] = lambda row, chosen: None,
) -> list[Row]:
    """Append ids to the rows of `given[grows.ids]` [B, T], until each has all or its end.

    `rows` numbers them among all that are asked for: a row is drawn as its number says and `told`
    of each id by it. A decoder with a cache reads each id once. Any other model takes whole
    sequences, so that n new ids cost n runs, each longer than the last. Raises `CannotAnswer`
    where the model cannot be run, as where a sequence grows beyond its longest, where it reads
    both ways and where its logits are not numbers.
    """
    import numpy as np

    ids = given[grows.ids]
    if not session.past:
        _refuse_both_ways(session, given, grows)
    real = given.get(f"{grows.ids}_mask", np.ones_like(ids)).astype(bool)
    found = [
        Row(tuple(line[seen].tolist()), wanted.sampling.draws(number))
        for number, line, seen in zip(rows, ids, real, strict=True)
    ]
    beside = {name: array for name, array in given.items() if name != grows.ids}
    going = Continued(session, grows, beside, len(found), ids.shape[1] + wanted.new - 1)
    for step in range(wanted.new):
        logits = going.logits(ids)
        if not np.isfinite(logits).all():
            raise CannotAnswer(f"the logits after {ids.shape[1]} ids are not finite")
        for number, row, scores in zip(rows, found, logits, strict=True):
            if not row.stopped and _go_on(row, _allowed(scores, wanted, step), wanted):
                told(number, row.new[-1])
        if all(row.stopped for row in found):
            break
        last = [row.new[-1] if row.new else row.prompt[-1] for row in found]
        ids = np.concatenate((ids, np.array(last)[:, None]), axis=1)
    return found


def _go_on(row: Row, logits: "Array", wanted: Wanted) -> bool:
    """Whether an id came and not the end."""
    chosen = wanted.sampling.choose(logits, row.draws)
    row.stopped = chosen in wanted.stop
    if not row.stopped:
        row.new.append(chosen)
    return not row.stopped


def _allowed(logits: "Array", wanted: Wanted, step: int) -> "Array":
    """Logits [V] with nothing for ids that are not chosen."""
    import numpy as np

    barred = wanted.never if step else (*wanted.never, *wanted.never_first)
    if not barred:
        return logits
    allowed = logits.astype(np.float32)
    allowed[[each for each in barred if each < len(allowed)]] = -np.inf
    if not np.isfinite(allowed).any():
        raise CannotAnswer(
            "no id is left to choose",
            "`suppress_tokens` of the folder's generation_config.json has them all",
        )
    return allowed


def _refuse_both_ways(session: Session, given: "Mapping[str, Array]", grows: Growing) -> None:
    """A model whose earlier logits change with a later id predicts nothing; a run of the first row
    shows it."""
    import numpy as np

    rows = session.inputs[grows.ids][0]
    first = {
        name: array[:1] if session.inputs[name][:1] == (rows,) else array
        for name, array in given.items()
        if owner(session, name) != grows.ids
    }
    ids = first[grows.ids]
    pair = (ids[:, :-1], ids) if ids.shape[1] > 1 else (ids, np.repeat(ids, 2, axis=1))
    few, more = (run_given(session, {**first, grows.ids: each})[grows.logits][0] for each in pair)
    if np.abs(more[: len(few)] - few).max() > SAME * max(1.0, np.abs(few).max()):
        raise CannotAnswer(
            f"the model reads `{grows.ids}` both ways, so it does not continue them",
            "leave out `--new` to print its outputs",
        )
