"""The tape of a run: which storages came and went, and which of them a backward pass needs."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from compiler.shadow.kinds import FLOAT32, Kind
from compiler.shadow.length import divided, product

Event = Literal[
    "made", "freed", "kept", "dropped", "round", "end", "turn", "enter", "leave", "unwound"
]
Recompute = Literal["none", "selective", "full"]
SEVERAL: Final = 3
"""A batch that stands for all larger than one."""
FOLDED: Final = 3
"""A loop of more rounds runs its first, its second for all between, and its last."""


class UnknownError(Exception):
    """Something that the shadow of torch does not have."""


class Round(NamedTuple):
    """One run through a loop that stands for `times` of them."""

    loop: int
    times: int


@dataclass
class Tape:
    """Everything that happens in one run, in order.

    Attributes:
        model: the type of the model's weights.
        eager: whether attention is computed step by step instead of by a fused kernel.
        recompute: what a backward pass computes again instead of keeping it: nothing, the inside of
            attentions, or all inside each layer.
        thin_masks: whether dropout keeps its mask as booleans, as on a GPU, or in the type of its
            input, as on a CPU.
        layers: a number of layers as a length, where it has a letter.
        batch: the letter of the batch.
        backwards: whether a backward pass follows, so that steps must know how to go back.
        in_place: whether it adds gradients up in place where nobody else has them, as torch does
            unless somebody watches its operations.
        accumulates: whether weights have gradients before it, to which new ones are added.
        running: whether a forward is under way; what is made before is there from the start.
    """

    model: Kind
    eager: bool = False
    recompute: Recompute = "none"
    thin_masks: bool = True
    layers: Mapping[int, int] = field(default_factory=dict)
    batch: str = ""
    backwards: bool = False
    in_place: bool = True
    accumulates: bool = False
    running: bool = False

    def __post_init__(self) -> None:
        self.events: list[tuple[Event, int]] = []
        self.sizes: list[tuple[tuple[int, ...], int]] = []
        self.within: list[tuple[int, ...]] = []
        self.rounds: list[Round] = []
        self.uneven = False
        """Whether a copy was made that a single sequence would not need."""
        self.keepers: dict[int, int] = {}
        """The node that first keeps each storage; none has a number below zero."""
        self.makers: list[tuple[int, int]] = []
        """The node that makes each storage, and the moment at which it does."""
        self.keeping: dict[int, Counter[int]] = {}
        """How often each storage is kept, by the moments of the steps that do."""
        self.moment = 0
        """Where a forward is in its stacks: 2n behind n layers, 2n + 1 inside the next."""
        self.layered: list[tuple[int, ...]] = []
        """The rounds that each layer runs in."""
        self.gradients: list[Any] = []
        """Gradients of weights that came where something was computed again."""
        self.copies: set[int] = set()
        """Storages that are there for a backward pass only."""
        self._nodes = [-1]
        self.open: list[int] = []
        """The rounds of loops that are under way."""
        self._loops = 0
        self._over: dict[int, int] = {}
        self.alike: dict[int, int] = {}
        """The first loop over the same layers, for each loop over layers: what one round of that
        has made, the same round of a later one may be the only to need."""
        self.steps = 0
        """How many steps of a backward pass there are so far."""
        self.forgets = False

    def enter(self, node: int) -> None:
        """What follows is of a node."""
        self._nodes.append(node)

    def leave(self) -> None:
        """What follows is of the node around, if any."""
        self._nodes.pop()

    def keeps(self, index: int, moment: int) -> None:
        """A step of a backward pass needs a storage."""
        self.events.append(("kept", index))
        self.keepers.setdefault(index, self._nodes[-1])
        self.keeping.setdefault(index, Counter())[moment] += 1

    def drops(self, index: int, moment: int) -> None:
        """It does no more."""
        self.events.append(("dropped", index))
        self.keeping[index][moment] -= 1

    @contextmanager
    def layer(self) -> Iterator[None]:
        """What is inside is a layer of a stack; what is a layer inside of one is part of it."""
        if self.moment % 2:
            yield
            return
        self.layered.append(tuple(self.open))
        self.moment += 1
        yield
        self.moment += 1

    @property
    def default(self) -> Kind:
        """The type of floats that nobody gave one."""
        return FLOAT32 if self.running else self.model

    def storage(self, shape: tuple[int, ...], width: int) -> "Storage":
        """Memory for a tensor, from now on until nobody has it."""
        if not self.running:
            return Storage(self, None)
        self.sizes.append((shape, width))
        self.within.append(tuple(self.open))
        self.makers.append((self._nodes[-1], self.moment))
        index = len(self.sizes) - 1
        self.events.append(("made", index))
        return Storage(self, index)

    @contextmanager
    def again(self, kind: Recompute) -> Iterator[bool]:
        """What is inside is computed again if `kind` is, so that nothing of it is kept; whether it
        is."""
        if self.recompute != kind or self.forgets:
            yield False
            return
        self.forgets = True
        yield True
        self.forgets = False

    def loop(self, items: list[Any], count: int, layers: int = 0) -> Iterator[Any]:
        """Loop over equal items, `count` of them: over all, or over the first, one for those
        between, and the last. `layers` is the identity of what they are taken from."""
        self._loops += 1
        loop = self._loops
        if layers:
            self.alike[loop] = self._over.setdefault(layers, loop)
        for item, times in _rounds(items, count):
            self.rounds.append(Round(loop, times))
            self.open.append(len(self.rounds) - 1)
            yield item
            self.events.append(("round", self.open.pop()))
        self.events.append(("end", loop))

    def gathered(self, storages: "Sequence[Storage]") -> int:
        """How many tensors a list stands for that loops have put theirs into."""
        found = 0
        for storage in storages:
            rounds = () if storage.index is None else self.within[storage.index]
            closed = [self.rounds[i].times for i in rounds if i not in self.open]
            found = found + product(closed)
        return found

    def count(self, layers: int, turn: int = 1) -> int:
        """How many turns a number of layers has, by its letter where it has one."""
        return divided(self.layers.get(layers, layers), turn)


def _rounds(items: list[Any], count: int) -> list[tuple[Any, int]]:
    if len(items) <= FOLDED:
        return [(item, 1) for item in items]
    return [(items[0], 1), (items[1], count - 2), (items[-1], 1)]


@dataclass(frozen=True)
class Edge:
    """Where a gradient goes: which result of a step it is of, and its shape and type there."""

    step: "Step"
    port: int
    shape: tuple[int, ...]
    dtype: Kind


Back = Callable[..., Any]
"""Gradients of what went in, from those of the results; None where there is none."""


class Step:
    """A step of a backward pass: what it keeps is there as long as somebody can reach it."""

    __slots__ = ("back", "edges", "kept", "moment", "number", "results", "rounds", "tape")

    def __init__(
        self,
        tape: Tape,
        edges: "Sequence[Edge | None]" = (),
        back: Back | None = None,
        results: int = 1,
    ) -> None:
        self.tape, self.edges, self.back, self.results = tape, edges, back, results
        self.number = tape.steps = tape.steps + 1
        self.rounds, self.moment = tuple(tape.open), tape.moment
        self.kept: list[int] = []

    def keep(self, storage: "Storage") -> None:
        """Keep a storage; weights and inputs are there anyway."""
        if storage.index is not None:
            self.kept.append(storage.index)
            self.tape.keeps(storage.index, self.moment)

    def release(self) -> None:
        """Keep nothing any more."""
        for index in self.kept:
            self.tape.drops(index, self.moment)
        self.kept = []

    def __del__(self) -> None:
        self.release()


class Storage:
    """Memory that tensors share; Python's own counting says when it goes."""

    __slots__ = ("index", "tape")

    def __init__(self, tape: Tape, index: int | None) -> None:
        self.tape, self.index = tape, index

    def __del__(self) -> None:
        if self.index is not None:
            self.tape.events.append(("freed", self.index))
