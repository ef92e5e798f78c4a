"""The fullest moment of a training step: forward and backward, gradients of weights with it.

A round of a loop that stands for several goes back that often, and each time what is there changes
by as much: the fullest of its moments is in the first time or in the last.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

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
    sums = [amounts.at_moment(True, at) for phase, at in best if phase == "forward"]
    sums += [Poly(tuple(exact[at].items())) for phase, at in best if phase == "backward"]
    return largest(sums) if sums else as_poly(0)


@dataclass
class Unwinding:
    """A backward pass over what is there behind a forward; `sizes` are put in for letters."""

    amounts: Amounts
    amount: Amount
    sizes: Mapping[str, int]
    there: There
    live: Sum = field(default_factory=dict)

    def moments(self) -> Iterator[Sum]:
        """What is there before something goes, at every moment."""
        tape = self.amounts.tape
        gone = self.amounts.gone(True)
        ends = {loop: at for at, (event, loop) in enumerate(tape.events) if event == "unwound"}
        for index, rounds in self.there.items():
            add(self.live, self.amount(index, rounds), 1)
        begun: list[tuple[int, Sum, int, set[int]]] = []
        found: list[Sum] = []
        grew = True
        start = tape.events.index(("turn", 0))
        for at, (event, index) in enumerate(tape.events[start:], start):
            if event == "made":
                self.there[index] = ()
                add(self.live, self.amount(index, ()), 1)
                grew = True
                for _, _, _, new in begun:
                    new.add(index)
            elif event in LEAVING and gone.get(index) == at and index in self.there:
                if grew:
                    found.append(dict(self.live))
                grew = False
                under_way = {tape.rounds[each[0]].loop for each in begun}
                rounds = self.there.pop(index)
                left = tuple(r for r in rounds if tape.rounds[r].loop not in under_way)
                add(self.live, self.amount(index, left), -1)
            elif event == "enter":
                begun.append((index, dict(self.live), len(found), set()))
            elif event == "leave":
                if grew:
                    found.append(dict(self.live))
                grew = False
                _, before, first, new = begun.pop()
                times = tape.rounds[index].times
                if times == 1:
                    continue
                change = self._again(before, formula(times) - 1)
                found += [_plus(moment, change) for moment in found[first:]]
                add(self.live, change, 1)
                end = ends[tape.rounds[index].loop]
                for each in new & self.there.keys():
                    if gone.get(each, len(tape.events)) > end:
                        self.there[each] = (*self.there[each], index)
        if grew:
            found.append(dict(self.live))
        yield from found

    def _again(self, before: Sum, times: Poly) -> Sum:
        """What a round changes, several times more."""
        change = dict(self.live)
        add(change, before, -1)
        return fixed(Poly(tuple(change.items())) * times, self.sizes)


def _plus(moment: Sum, change: Sum) -> Sum:
    found = dict(moment)
    add(found, change, 1)
    return found
