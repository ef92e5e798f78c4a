"""Times of the same thing, again and again, and what is typical of them."""

import math
from collections.abc import Callable
from typing import Any, TypeVar

from archspec.source.frozen import Frozen

Clock = Callable[[], float]
Result = TypeVar("Result")


class Timing(Frozen):
    """Seconds that something took, each time."""

    seconds: tuple[float, ...]

    def __post_init__(self) -> None:
        """Nothing is typical of no times."""
        if not self.seconds:
            raise ValueError("there is nothing timed")

    def percentile(self, percent: float) -> float:
        """The least time that `percent` of all do not exceed (the nearest rank)."""
        rank = math.ceil(percent / 100 * len(self.seconds))
        return sorted(self.seconds)[max(rank, 1) - 1]

    @property
    def median(self) -> float:
        """The time in the middle."""
        return self.percentile(50)

    def document(self) -> dict[str, Any]:
        """Percentiles in seconds, and of how many times."""
        found = {f"p{percent}_seconds": self.percentile(percent) for percent in (50, 90, 99)}
        return {**found, "samples": len(self.seconds)}


def timed(run: Callable[[], Result], clock: Clock) -> tuple[float, Result]:
    """The seconds that `run` took, and what it gave."""
    start = clock()
    found = run()
    return clock() - start, found
