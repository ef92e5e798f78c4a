"""The fullest moment of a training step: forward and backward, gradients of weights with it.

A round of a loop that stands for several goes back that often, and each time what is there changes
by as much: the fullest of its moments is in the first time or in the last.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from compiler.ir.size import Poly, as_poly
from compiler.shadow.length import formula
from compiler.shadow.peaks import LEAVING, Amounts, Sum, There, add, fixed, fullest, largest

Amount = Callable[[int, tuple[int, ...]], Sum]
"""The bytes of a storage that is there once for all of some rounds."""


def step_peak(amounts: Amounts) -> Poly:
    """The most that is there at once in a forward and the backward pass behind it."""
    forward = dict(amounts.moments(True))
    start = amounts.turn()
    backward = list(Unwinding(amounts, amounts.number, amounts.sizes, start).moments())
    found = {("forward", at): numbers for at, numbers in forward.items()}
    found |= {("backward", at): numbers for at, numbers in enumerate(backward)}
    best = fullest(found)
    exact = list(Unwinding(amounts, amounts.terms, {}, amounts.turn()).moments())
    sums = amounts.at_moments(True, {at for phase, at in best if phase == "forward"})
    sums += [Poly(tuple(exact[at].items())) for phase, at in best if phase == "backward"]
    return largest(sums) if sums else as_poly(0)


@dataclass
class Once:
    """The bytes of a storage from outside of a loop that goes in a round: only the last of the
    rounds that it stands for lets it go. `at` is the first moment without it."""

    at: int
    amount: Sum


@dataclass
class Begun:
    """A round under way: what was there before, how many moments were, and what came and went."""

    round: int
    before: Sum
    first: int
    new: set[int] = field(default_factory=set)
    once: list[Once] = field(default_factory=list)


@dataclass
class Unwinding:
    """A backward pass over what is there behind a forward; `sizes` are put in for letters."""

    amounts: Amounts
    amount: Amount
    sizes: Mapping[str, int]
    there: There
    live: Sum = field(default_factory=dict)
    begun: list[Begun] = field(default_factory=list)
    found: list[Sum] = field(default_factory=list)

    def moments(self) -> Iterator[Sum]:
        """What is there before something goes, at every moment."""
        events = self.amounts.tape.events
        gone = self.amounts.gone(True)
        ends = {loop: at for at, (event, loop) in enumerate(events) if event == "unwound"}
        for index, rounds in self.there.items():
            add(self.live, self.amount(index, rounds), 1)
        grew = True
        start = events.index(("turn", 0))
        for at, (event, index) in enumerate(events[start:], start):
            leaves = event in LEAVING and gone.get(index) == at and index in self.there
            if leaves or event == "leave":
                if grew:
                    self.found.append(dict(self.live))
                grew = False
            if event == "made":
                self._come(index)
                grew = True
            elif leaves:
                self._go(index)
            elif event == "enter":
                self.begun.append(Begun(index, dict(self.live), len(self.found)))
            elif event == "leave":
                last = self.begun.pop()
                if self.amounts.tape.rounds[index].times != 1:
                    self._repeat(last)
                    end = ends[self._loop(index)]
                    stay = (i for i in last.new & self.there.keys() if gone.get(i, inf) > end)
                    self.there |= {each: (*self.there[each], index) for each in stay}
        if grew:
            self.found.append(dict(self.live))
        yield from self.found

    def _come(self, index: int) -> None:
        """A storage is made."""
        self.there[index] = ()
        add(self.live, self.amount(index, ()), 1)
        for each in self.begun:
            each.new.add(index)

    def _go(self, index: int) -> None:
        """A storage goes; of those that rounds of a loop under way have made, or the same rounds of
        another loop over the same layers, one does in each."""
        under_way = {self._layers(each.round) for each in self.begun}
        rounds = self.there.pop(index)
        left = tuple(r for r in rounds if self._layers(r) not in under_way)
        amount = self.amount(index, left)
        add(self.live, amount, -1)
        inside = {self._layers(r) for r in self.amounts.tape.within[index]}
        once = Once(len(self.found), amount)
        for each in reversed(self.begun):
            if self._layers(each.round) in inside:
                break
            each.once.append(once)

    def _repeat(self, last: Begun) -> None:
        """A round has been, and is as often again as it stands for: its moments are those of the
        first time and of the last."""
        times = formula(self.amounts.tape.rounds[last.round].times)
        change = dict(self.live)
        add(change, last.before, -1)
        for each in last.once:
            add(change, each.amount, 1)
        more = fixed(Poly(tuple(change.items())) * (times - 1), self.sizes)
        again = [_plus(moment, more) for moment in self.found[last.first :]]
        for each in last.once:
            for moment in self.found[each.at :]:
                add(moment, each.amount, 1)
            each.at += len(again)
        self.found += again
        add(self.live, more, 1)

    def _loop(self, round_: int) -> int:
        return self.amounts.tape.rounds[round_].loop

    def _layers(self, round_: int) -> int:
        loop = self._loop(round_)
        return self.amounts.tape.alike.get(loop, loop)


def _plus(moment: Sum, change: Sum) -> Sum:
    found = dict(moment)
    add(found, change, 1)
    return found
