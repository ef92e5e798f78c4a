"""Mixtures of experts: how many experts a token uses, and how many a step of decoding reads."""

from collections.abc import Iterator
from fractions import Fraction

from archspec.source.frozen import Frozen
from compiler.ir.program import Program
from compiler.ir.size import value
from compiler.ops import Router


class Mixture(Frozen):
    """A router of the folded program: its experts, and how many of them a token goes to."""

    path: str
    experts: int
    experts_per_token: int

    def touched(self, batch: int) -> Fraction:
        """Different experts that a decoding step of `batch` sequences is expected to read.

        E (1 - (1 - A/E)^B), if tokens choose independently and all experts alike.
        """
        missed = Fraction(self.experts - self.experts_per_token, self.experts) ** batch
        return self.experts * (1 - missed)


def mixtures(program: Program) -> tuple[Mixture, ...]:
    """Every router of the folded program."""
    return tuple(_found(program))


def _found(program: Program) -> Iterator[Mixture]:
    for place in program.places():
        router = place.node.what
        if isinstance(router, Router):
            sizes = (value(program.key.fix(size)) for size in (router.E, router.A))
            yield Mixture(place.path, *sizes)
