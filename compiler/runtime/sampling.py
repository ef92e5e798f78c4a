"""The choice of the next id from a model's logits."""

import math
from typing import TYPE_CHECKING

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer

if TYPE_CHECKING:
    import numpy as np

    from compiler.runtime.session import Array


class Sampling(Frozen):
    """How an id is chosen: the likeliest at temperature 0, else drawn from softmax(logits / t).

    `top_k` keeps the k likeliest ids, all of them where it is None (Fan et al. 2018); of equal
    ones the lower id comes first. Raises `CannotAnswer` for a temperature or a k that means
    nothing.
    """

    temperature: float = 0.0
    top_k: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise CannotAnswer("`--temperature` must be 0 or more", "0 takes the likeliest id")
        if self.top_k is not None and self.top_k < 1:
            raise CannotAnswer("`--top-k` must be 1 or more")
        if self.seed < 0:
            raise CannotAnswer("`--seed` must be 0 or more")

    def choose(self, logits: "Array", draws: "np.random.Generator") -> int:
        """One id from logits [V]."""
        if not self.temperature:
            return int(logits.argmax())
        kept, chances = self.chances(logits)
        return int(draws.choice(kept, p=chances))

    def chances(self, logits: "Array") -> "tuple[Array, Array]":
        """The ids that may be drawn, likeliest first, and the probability of each."""
        import numpy as np

        kept = np.argsort(-logits, kind="stable")[: self.top_k]
        scores = logits[kept].astype(np.float64)
        with np.errstate(over="ignore"):  # of a temperature near 0, where the rest has no chance
            weights = np.exp((scores - scores[0]) / self.temperature)
        return kept, weights / weights.sum()
