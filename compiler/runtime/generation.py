"""Continuing a sequence of ids, one id a step, by a built model."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.runtime.continued import Continued
from compiler.runtime.given import run_given
from compiler.runtime.roles import Growing
from compiler.runtime.sampling import Sampling
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from compiler.runtime.session import Array

SAME: Final = 1e-3
"""How far logits may lie apart, relative to the largest, that rounding alone sets apart."""


class Generated(Frozen):
    """What a model said.

    Attributes:
        prompt_ids: the ids that were continued: the prompt, or the start that a decoder is given.
        new_ids: what came after, without the id that stops.
        ended: whether the stop id came, or as many ids as were asked for.
        new_text: `new_ids` in words, where a tokenizer knows them.
    """

    prompt_ids: tuple[int, ...]
    new_ids: tuple[int, ...]
    ended: Literal["stop", "length"]
    sampling: Sampling
    new_text: str | None = None

    @property
    def ok(self) -> bool:
        """A model always says something."""
        return True

    def text(self) -> str:
        """The words, or the ids where there are none."""
        return " ".join(map(str, self.new_ids)) if self.new_text is None else self.new_text

    def document(self) -> dict[str, Any]:
        """Ids, how they ended and how they were chosen; `text` only where a tokenizer is there."""
        said = {} if self.new_text is None else {"text": self.new_text}
        return {
            "ended": self.ended,
            "new_ids": list(self.new_ids),
            "prompt_ids": list(self.prompt_ids),
            "seed": self.sampling.seed,
            "temperature": self.sampling.temperature,
            "top_k": self.sampling.top_k,
            **said,
        }


def generate(
    session: Session,
    given: "Mapping[str, Array]",
    grows: Growing,
    new: int,
    *,
    sampling: Sampling,
    stop: int | None = None,
    progress: Callable[[str, int, int, str], None] | None = None,
) -> Generated:
    """Append up to `new` ids to `given[grows.ids]` [1, T], ending early at the id `stop`.

    A decoder with a cache reads each id once. Any other model takes whole sequences, so that n new
    ids cost n runs, each longer than the last. Raises `CannotAnswer` where the model cannot be run,
    as where the sequence grows beyond its longest, where it reads both ways and where its logits
    are not numbers.
    """
    import numpy as np

    draws = np.random.default_rng(sampling.seed)
    start = tuple(int(each) for each in given[grows.ids][0])
    ids = list(start)
    if not session.past:
        _refuse_both_ways(session, given, grows, ids)
    beside = {name: array for name, array in given.items() if name != grows.ids}
    sequence = Continued(session, grows, beside, len(ids) + new)
    for step in range(new):
        if progress is not None:
            progress("generate", step, new, "ids")
        logits = sequence.logits(ids)
        if not np.isfinite(logits).all():
            raise CannotAnswer(f"the logits after {len(ids)} ids are not finite")
        chosen = sampling.choose(logits, draws)
        if chosen == stop:
            return Generated(start, tuple(ids[len(start) :]), "stop", sampling)
        ids.append(chosen)
    return Generated(start, tuple(ids[len(start) :]), "length", sampling)


def _refuse_both_ways(
    session: Session, given: "Mapping[str, Array]", grows: Growing, ids: list[int]
) -> None:
    """A model whose earlier logits change with a later id predicts nothing; a run shows it."""
    import numpy as np

    pair = (ids[:-1], ids) if len(ids) > 1 else (ids, ids * 2)
    few, more = (
        run_given(session, {**given, grows.ids: np.array([each], np.int64)})[grows.logits][0]
        for each in pair
    )
    if np.abs(more[: len(few)] - few).max() > SAME * max(1.0, np.abs(few).max()):
        raise CannotAnswer(
            f"the model reads `{grows.ids}` both ways, so it does not continue them",
            "leave out `--new` to print its outputs",
        )
