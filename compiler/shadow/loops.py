"""Loops over layers and positions: equal rounds run once for all of them."""

from collections.abc import Callable, Iterator
from typing import Any

from compiler.shadow.length import Length
from compiler.shadow.tape import FOLDED, Tape
from compiler.shadow.views import Places


def over_layers(tape: Tape, layers: list[Any]) -> Iterator[Any]:
    """The modules of a list; those whose classes come in turns are equal rounds."""
    if not tape.running:
        yield from layers
        return
    kinds = [type(layer) for layer in layers]
    turn = next(
        n
        for n in range(1, len(layers) + 1)
        if len(layers) % n == 0 and kinds == kinds[:n] * (len(layers) // n)
    )
    groups = [layers[i : i + turn] for i in range(0, len(layers), turn)]
    for group in tape.loop(groups, tape.count(len(layers), turn), id(layers[0])):
        yield from group


def folding_range(tape: Tape) -> Callable[..., Any]:
    """`range`, whose rounds are equal where a model runs."""

    def ranged(*bounds: int) -> Any:
        whole = range(*bounds)
        if not tape.running or len(whole) <= FOLDED:
            return whole
        return tape.loop(list(whole), tape.count(len(whole) * whole.step, whole.step))

    return ranged


def folding_zip(tape: Tape) -> Callable[..., Any]:
    """`zip`, one loop over what is read side by side."""

    def zipped(*given: Any, strict: bool = False) -> Any:
        items = list(zip(*(tuple.__iter__(each) for each in given), strict=strict))
        first = given[0]
        if not isinstance(first, Places) or not isinstance(first.count_, Length):
            return items
        return tape.loop(items, first.count_)

    return zipped
