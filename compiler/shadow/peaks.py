"""How much a tape's storages come to: what is kept, and the most that is there at once."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf
from typing import Final, TypeVar

from compiler.ir.size import Poly, as_poly, greatest, total
from compiler.ir.terms import Factor, Monomial
from compiler.shadow.length import Length, formula, product
from compiler.shadow.tape import Tape

LEAVING: Final = ("freed", "dropped")
"""Events with which somebody has a storage no more."""
Sum = dict[Monomial, "int | Fraction"]
There = dict[int, tuple[int, ...]]
"""The storages at one moment, each with the rounds that it is there once for all of."""


class Amounts:
    """The bytes of a tape's storages as formulas; `sizes` are those of fixed letters."""

    def __init__(self, tape: Tape, sizes: Mapping[str, int]) -> None:
        self.tape, self.sizes = tape, sizes
        alike: dict[tuple[object, ...], int] = {}
        keys = [_key(shape, width) for shape, width in tape.sizes]
        self._alike = [alike.setdefault(key, len(alike)) for key in keys]
        self._known: dict[tuple[int, tuple[int, ...]], Poly] = {}
        self._numbers: dict[tuple[int, tuple[int, ...]], Sum] = {}
        self._gone: dict[bool, dict[int, int]] = {}

    def saved(self) -> Poly:
        """What a backward pass needs: every storage once, in every round that it stands for."""
        return total(self.rows().values())

    def rows(self) -> dict[int, Poly]:
        """The same by the node that first keeps each."""
        kept = Counter(index for event, index in self.tape.events if event == "kept")
        kept.subtract(index for event, index in self.tape.events if event == "dropped")
        found: dict[int, list[Poly]] = {}
        for index in sorted(index for index, times in kept.items() if times):
            size = self._bytes(index, self.tape.within[index])
            found.setdefault(self.tape.keepers[index], []).append(size)
        return {node: total(sizes) for node, sizes in sorted(found.items())}

    def peak(self, keeping: bool) -> Poly:
        """The most that is there at once, with or without what is kept for a backward pass.

        Fixed letters decide which moments can be the fullest; `max` says which of those the
        lengths decide between.
        """
        sums = self.at_moments(keeping, fullest(dict(self.moments(keeping))))
        return largest(sums) if sums else as_poly(0)

    def at_moments(self, keeping: bool, moments: Container[int]) -> list[Poly]:
        """What is there at some moments of a forward."""
        return [
            total(self._bytes(index, rounds) for index, rounds in there.items())
            for at, there, _ in self._walk(keeping)
            if at in moments
        ]

    def turn(self) -> There:
        """What is there behind a forward, before its backward pass."""
        found: There = {}
        for _, there, _ in self._walk(keeping=True):
            found = there
        return dict(found)

    def terms(self, index: int, rounds: tuple[int, ...]) -> Sum:
        """The bytes of a storage as they are."""
        return dict(self._bytes(index, rounds).terms)

    def _bytes(self, index: int, rounds: tuple[int, ...]) -> Poly:
        key = (self._alike[index], rounds)
        if key not in self._known:
            shape, width = self.tape.sizes[index]
            times = (self.tape.rounds[i].times for i in rounds)
            self._known[key] = formula(product((*shape, *times))) * width
        return self._known[key]

    def number(self, index: int, rounds: tuple[int, ...]) -> Sum:
        """The same with fixed letters put in."""
        key = (self._alike[index], rounds)
        if key not in self._numbers:
            self._numbers[key] = fixed(self._bytes(index, rounds), self.sizes)
        return self._numbers[key]

    def moments(self, keeping: bool) -> Iterator[tuple[int, Sum]]:
        """What is there at every moment before something goes, with fixed letters put in."""
        live: Sum = {}
        before: There = {}
        for at, there, changed in self._walk(keeping):
            for index in changed:
                if index in before:
                    add(live, self.number(index, before.pop(index)), -1)
                if index in there:
                    before[index] = there[index]
                    add(live, self.number(index, there[index]), 1)
            yield at, dict(live)

    def _walk(self, keeping: bool) -> Iterator[tuple[int, There, list[int]]]:
        """The storages at every moment before something goes, and those that came, went or were
        multiplied since the moment before."""
        events = self.tape.events
        gone = self.gone(keeping)
        ends = {loop: at for at, (event, loop) in enumerate(events) if event == "end"}
        there: There = {}
        changed: list[int] = []
        grew = False
        for at, (event, index) in enumerate(events):
            if event == "turn":
                yield at, there, changed
                return
            if event == "made" and (keeping or index not in self.tape.copies):
                there[index] = ()
                changed.append(index)
                grew = True
            elif index in there and gone.get(index) == at and event in LEAVING:
                if grew:
                    yield at, there, changed
                    changed = []
                del there[index]
                changed.append(index)
                grew = False
            elif event == "round" and self.tape.rounds[index].times != 1:
                end = ends.get(self.tape.rounds[index].loop, len(events))
                for each in [i for i in there if index in self.tape.within[i]]:
                    if gone.get(each, inf) > end:
                        there[each] = (*there[each], index)
                        changed.append(each)
                        grew = True
        yield len(events), there, changed

    def gone(self, keeping: bool) -> dict[int, int]:
        """When each storage goes: with the last tensor or step that has it."""
        if keeping not in self._gone:
            self._gone[keeping] = self._last(keeping)
        return self._gone[keeping]

    def _last(self, keeping: bool) -> dict[int, int]:
        found: dict[int, int] = {}
        holders: Counter[int] = Counter()
        for at, (event, index) in enumerate(self.tape.events):
            if event == "made" or (keeping and event == "kept"):
                holders[index] += 1
            elif event == "freed" or (keeping and event == "dropped"):
                holders[index] -= 1
                if not holders[index]:
                    found[index] = at
        return found


Moment = TypeVar("Moment")


def fullest(moments: Mapping[Moment, Sum]) -> dict[Moment, Sum]:
    """The moments that no other one is always fuller than."""
    best: dict[Moment, Sum] = {}
    for at, numbers in sorted(moments.items(), key=lambda one: -sum(one[1].values())):
        if not any(reaches(other, numbers) for other in best.values()):
            best = {i: other for i, other in best.items() if not reaches(numbers, other)}
            best[at] = numbers
    return best


def largest(sums: Sequence[Poly]) -> Poly:
    """The largest of some sums, with what all of them have in front."""
    first, *rest = (dict(size.terms) for size in sums)
    shared = {
        monomial: min([coefficient, *(other[monomial] for other in rest)])
        for monomial, coefficient in first.items()
        if all(monomial in other for other in rest)
    }
    common = Poly(tuple((m, c) for m, c in shared.items()))
    return common + greatest(*(size - common for size in sums))


def fixed(size: Poly, sizes: Mapping[str, int]) -> Sum:
    """A sum with the fixed letters put in."""
    found: Sum = {}
    for monomial, coefficient in size.terms:
        whole = coefficient.denominator == 1
        number: int | Fraction = coefficient.numerator if whole else coefficient
        rest: list[tuple[Factor, int]] = []
        for factor, power in monomial:
            if isinstance(factor, str) and factor in sizes:
                number *= sizes[factor] ** power
            else:
                rest.append((factor, power))
        add(found, {tuple(rest): number}, 1)
    return found


def reaches(larger: Sum, smaller: Sum) -> bool:
    """Whether one sum is at least another for all letters of at least one.

    What the smaller has more of in one term, the larger must have more of in terms that grow at
    least as fast.
    """
    spare = dict(larger)
    short: list[tuple[Monomial, int | Fraction]] = []
    for monomial, number in smaller.items():
        left = spare.pop(monomial, 0) - number
        if left > 0:
            spare[monomial] = left
        elif left < 0:
            short.append((monomial, -left))
    short += [(monomial, -number) for monomial, number in spare.items() if number < 0]
    spare = {monomial: number for monomial, number in spare.items() if number > 0}
    for monomial, need in sorted(short, key=lambda term: -_degree(term[0])):
        for above in sorted(spare, key=_degree):
            if need and _divides(monomial, above):
                taken = min(need, spare[above])
                spare[above] -= taken
                need -= taken
        if need:
            return False
    return True


def _key(shape: tuple[int, ...], width: int) -> tuple[object, ...]:
    return (width, *(s.formula if isinstance(s, Length) else int(s) for s in shape))


def add(live: Sum, amount: Sum, sign: int) -> None:
    """Add a sum to what is there, or take it away."""
    for monomial, number in amount.items():
        left = live.get(monomial, 0) + sign * number
        if left:
            live[monomial] = left
        else:
            live.pop(monomial, None)


def _degree(monomial: Monomial) -> int:
    return sum(power for _, power in monomial)


def _divides(part: Monomial, whole: Monomial) -> bool:
    powers = dict(whole)
    return all(powers.get(factor, 0) >= power for factor, power in part)
