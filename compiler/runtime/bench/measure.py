"""Times of one model at one batch and length."""

from functools import partial
from typing import TYPE_CHECKING, Any

from archspec.source.frozen import Frozen
from compiler.runtime.bench.feed import feed
from compiler.runtime.bench.timing import Clock, Timing, timed
from compiler.runtime.session import Session

if TYPE_CHECKING:
    from compiler.runtime.kept import Array, Past


class Times(Frozen):
    """What was timed.

    Attributes:
        forward: a whole input; of a decoder the prefill.
        first: of a decoder, from the prompt to the first new id.
        decode: of a decoder, one step of one id for each sequence, in the order of the steps.
    """

    forward: Timing
    first: Timing | None = None
    decode: Timing | None = None

    def document(self) -> dict[str, Any]:
        """Percentiles by what they are of."""
        if self.decode is None or self.first is None:
            return {"forward": self.forward.document()}
        return {
            "prefill": self.forward.document(),
            "time_to_first_token": self.first.document(),
            "decode": self.decode.document(),
        }


def measure(
    session: Session, batch: int, length: int, *, steps: int, repeat: int, clock: Clock
) -> Times:
    """Run everything once to warm up, then `repeat` times.

    A decoder reads a prompt of `length` and makes `steps` new ids, in one buffer where it shares.
    """
    if not session.past:
        given = feed(session, batch, length, length)
        seconds = [timed(partial(session.run, given), clock)[0] for _ in range(repeat + 1)]
        return Times(Timing(tuple(seconds[1:])))
    room = session.buffers(batch, length + steps) if session.shares else None
    runs = [_decode(session, room, batch, length, steps, clock) for _ in range(repeat + 1)][1:]
    return Times(
        Timing(tuple(prefill for prefill, _, _ in runs)),
        Timing(tuple(first for _, first, _ in runs)),
        Timing(tuple(each for _, _, decode in runs for each in decode)),
    )


def _decode(
    session: Session, past: "Past | None", batch: int, length: int, steps: int, clock: Clock
) -> tuple[float, float, list[float]]:
    """Seconds of a prefill, until the first id, and of every step after it."""
    import numpy as np

    given = feed(session, batch, length, length)
    source = {name: given[name] for name in session.source if name in given}
    prompted = clock()
    prefill, (outputs, past) = timed(partial(session.step, given, past), clock)
    _likeliest(next(iter(outputs.values())))
    first, found = clock() - prompted, []
    for seen in range(length + 1, length + steps + 1):
        given = {**feed(session, batch, 1, seen), **source}
        seconds, (outputs, past) = timed(partial(session.step, given, past), clock)
        found.append(seconds)
    if not np.isfinite(next(iter(outputs.values()))).all():
        raise ValueError("the outputs are not finite")
    return prefill, first, found


def _likeliest(logits: "Array") -> "Array":
    found: Array = logits[:, -1].argmax(-1)
    return found
