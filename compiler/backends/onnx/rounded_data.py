"""Rounded matrices as a stream: some rows at a time, each matrix read once for all its parts."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Final

from archspec.source.frozen import Frozen
from compiler.backends.onnx.listing import Part, Weight
from compiler.backends.onnx.rounding import Codes, rounded, rounded_columns
from compiler.backends.onnx.sheet import member_path
from compiler.backends.onnx.words import not_finite, words_of
from compiler.importers.lazy import Lazy, numbers
from compiler.ir.integers import Integers

if TYPE_CHECKING:
    from compiler.importers.lazy import Array

PIECE: Final = 1 << 20
"""Elements rounded at a time: 4 MiB of float32."""

THREADS: Final = 2


class Loss(Frozen):
    """What rounding one matrix cost: the squared error and the squared numbers."""

    integers: Integers
    lost: float
    whole: float

    @property
    def relative(self) -> float:
        """The error relative to the numbers, both as root mean squares."""
        return (self.lost / self.whole) ** 0.5 if self.whole else 0.0


class RoundedData:
    """The bytes of rounded matrices; `source` gives the numbers of a weight as a matrix [O, I].

    Codes are given first; scales and codes of zero are kept from then on until they are asked for.
    Raises CannotAnswer where numbers are NaN or infinite.
    """

    def __init__(self, source: Callable[[Weight], Lazy]) -> None:
        self._source = source
        self._kept: dict[tuple[object, ...], dict[Part, Array]] = {}
        self.losses: dict[str, Loss] = {}

    def stream(self, weight: Weight) -> Iterator["Array"]:
        """The bytes of a part of a rounded matrix, flat, in pieces."""
        assert weight.integers is not None
        for each in weight.members():
            if weight.part == "codes":
                yield from self._codes(each, weight.integers)
                continue
            found = self._kept[_matrix(each)].pop(weight.part)
            words = found if weight.part == "zeros" else words_of(found, weight.element)
            yield words.reshape(-1)

    def _codes(self, weight: Weight, integers: Integers) -> Iterator["Array"]:
        import numpy as np

        source = self._source(weight)
        held: list[Codes] = []
        columns: list[Array] = []
        for made in _all(source, integers):
            held.append(_without_codes(made))
            if integers.block is None:
                columns.append(made.codes)
            else:
                yield made.codes.reshape(-1)
        if columns:
            yield np.ascontiguousarray(np.concatenate(columns).T).reshape(-1)
        kept: dict[Part, Array] = {
            "scales": np.concatenate([made.scales for made in held]).astype("<f4", copy=False)
        }
        zeros = [made.zeros for made in held if made.zeros is not None]
        if zeros:
            kept["zeros"] = np.concatenate(zeros)
        self._kept[_matrix(weight)] = kept
        lost, whole = sum(made.lost for made in held), sum(made.whole for made in held)
        member = weight.member
        path = weight.parameter if member is None else member_path(weight.parameter, member)
        name = path.removesuffix(".weight")
        if not isfinite(whole):
            raise not_finite(name)
        self.losses[name] = Loss(integers, lost, whole)


def _matrix(weight: Weight) -> tuple[object, ...]:
    return weight.parameter, weight.member, weight.integers


def _without_codes(made: Codes) -> Codes:
    return Codes(made.codes[:0], made.scales, made.zeros, made.lost, made.whole)


def _all(source: Lazy, integers: Integers) -> Iterator[Codes]:
    """Some rows after the other; while they are used the next ones are rounded."""
    import numpy as np

    inputs = source.shape[-1]
    some = max(1, PIECE // inputs)
    work = rounded_columns if integers.block is None else partial(rounded, integers=integers)

    def made(piece: "Array") -> Codes:
        with np.errstate(invalid="ignore", over="ignore"):
            return work(numbers(piece, source.dtype).reshape(-1, inputs))

    with ThreadPoolExecutor(THREADS) as threads:
        running: deque[Future[Codes]] = deque()
        for piece in source.pieces(some * inputs):
            running.append(threads.submit(made, piece))
            if len(running) > THREADS:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
