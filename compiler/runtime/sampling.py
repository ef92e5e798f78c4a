"""The choice of the next id from a model's logits."""

import math
from typing import TYPE_CHECKING

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer

if TYPE_CHECKING:
    import numpy as np

    from compiler.runtime.kept import Array


class Sampling(Frozen):
    """How an id is chosen: the likeliest at temperature 0, else drawn from softmax(logits / t).

    `top_k` keeps the k likeliest ids (Fan et al. 2018), then `top_p` the fewest of those whose
    chances reach p together (Holtzman et al. 2020); None keeps all. Of equal ids the lower one
    comes first. Raises `CannotAnswer` for a number that means nothing.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.temperature < math.inf:
            raise CannotAnswer("`--temperature` must be 0 or more", "0 takes the likeliest id")
        if self.top_k is not None and self.top_k < 1:
            raise CannotAnswer("`--top-k` must be 1 or more")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise CannotAnswer("`--top-p` must be above 0 and at most 1")
        if self.seed < 0:
            raise CannotAnswer("`--seed` must be 0 or more")

    def draws(self, row: int) -> "np.random.Generator":
        """The draws for one row of several: those of a row alone with `seed + row`."""
        import numpy as np

        return np.random.default_rng(self.seed + row)

    def choose(self, logits: "Array", draws: "np.random.Generator") -> int:
        """One id from logits [V]."""
        if not self.temperature:
            return int(logits.argmax())
        kept, chances = self.chances(logits)
        return int(draws.choice(kept, p=chances))

    def chances(self, logits: "Array") -> "tuple[Array, Array]":
        """The ids that may be drawn, likeliest first, and the probability of each."""
        import numpy as np

        kept = self._likeliest(logits)
        scores = logits[kept].astype(np.float64)
        with np.errstate(over="ignore"):  # of a temperature near 0, where the rest has no chance
            weights = np.exp((scores - scores[0]) / self.temperature)
        chances = weights / weights.sum()
        if self.top_p is not None:
            fewest = 1 + int((chances.cumsum()[:-1] < self.top_p).sum())
            kept, chances = kept[:fewest], chances[:fewest] / chances[:fewest].sum()
        return kept, chances

    def _likeliest(self, logits: "Array") -> "Array":
        """The ids of the `top_k` largest logits in order; only these are sorted."""
        import numpy as np

        among = np.arange(len(logits))
        if self.top_k is not None and self.top_k < len(logits):
            least = np.partition(logits, -self.top_k)[-self.top_k]
            among = np.flatnonzero(logits >= least)
        kept: Array = among[np.argsort(-logits[among], kind="stable")][: self.top_k]
        return kept
