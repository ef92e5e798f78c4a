"""Recurrences over whole sequences as torch composes them on a CPU where no library runs them."""

from collections.abc import Iterator, Sequence
from typing import Any

from archspec.source.frozen import Frozen
from compiler.shadow.cells import FORMS, Form, States, Weights
from compiler.shadow.joining import cat, joined, stack
from compiler.shadow.kinds import INT64
from compiler.shadow.reductions import index_select
from compiler.shadow.tape import Back
from compiler.shadow.tensor import Tensor, keep, made, written
from compiler.shadow.views import narrow, transpose, unbind, view


class Packed(Frozen):
    """Rows behind each other, step by step: the steps that all of them have. Rows are taken to be
    as long as the longest.

    Attributes:
        data: [T·B, I].
        counts: how many rows each step has.
        order: the places of rows, from the longest to the shortest.
        back: the places of rows as they were.
        steps: how many there are.
    """

    data: Tensor
    counts: Tensor
    order: Tensor
    back: Tensor
    steps: int


def pack_padded_sequence(x: Tensor, lengths: Tensor, **rest: Any) -> Packed:
    """Rows [B, T, I] without the padding that they end in."""
    lengths, order = (made(x.tape, lengths.shape, INT64) for _ in range(2))
    x = index_select(x, 0, order)
    (batch, steps, width), kind = x.shape, x.dtype
    lying = (int(width), int(batch * width), 1)

    def unpacked(g: Tensor) -> Tensor:
        return made(g.tape, (batch, steps, width), kind, strides=lying)

    data = made(x.tape, (steps * batch, width), kind, (x,), back=unpacked)
    counts = made(x.tape, (steps,), INT64)
    keep(data, counts)
    back = made(x.tape, order.shape, INT64)
    made(x.tape, order.shape, INT64)
    return Packed(data, counts, order, back, steps)


def pad_packed_sequence(rows: Packed, **rest: Any) -> tuple[Tensor, Tensor]:
    """Rows [B, T, O] with zeros behind them."""
    data = rows.data
    batch = rows.order.shape[0]
    whole = made(data.tape, (rows.steps, batch, data.shape[1]), data.dtype)
    lengths = made(data.tape, (batch,), INT64)
    part = view(narrow(data, 0, 0, data.shape[0]), whole.shape)
    padded = transpose(written(whole, part, back=_copied(whole)), 0, 1)
    return index_select(padded, 0, rows.back), index_select(lengths, 0, rows.back)


def _copied(whole: Tensor) -> Back:
    """The gradients of what was written over and of what is there now: torch copies what comes
    twice."""
    shape, kind = whole.shape, whole.dtype

    def back(g: Tensor) -> tuple[Tensor | None, ...]:
        result = made(g.tape, shape, kind)
        part = made(g.tape, shape, kind)
        del result
        return None, part

    return back


def run(
    name: str, layers: Sequence[Sequence[Weights]], x: "Tensor | Packed", start: Any, width: int
) -> tuple[Any, Any]:
    """Layers of cells, each one way or both; the states of the last and how each layer ends.

    `x` is [B, T, I]; `start` has a state for each layer and way, or is None.
    """
    form = FORMS[name]
    given = x.data if isinstance(x, Packed) else transpose(x, 0, 1)
    ways = len(layers) * len(layers[0])
    begun = _begun(form, x, given, start, (ways, width))
    held = list(zip(*(unbind(part, 0) for part in begun), strict=True))
    ends: list[States] = []
    y: Tensor = given
    for i, layer in enumerate(layers):
        states = held[i * len(layer) : (i + 1) * len(layer)]
        y, last = _layer(form, layer, y, states, x)
        ends += last
    finals = [stack(part, 0) for part in zip(*ends, strict=True)]
    del ends
    if isinstance(x, Packed):
        finals = [index_select(part, 1, x.back) for part in finals]
    final = finals[0] if len(finals) == 1 else tuple(finals)
    if isinstance(x, Packed):
        return Packed(y, x.counts, x.order, x.back, x.steps), final
    return transpose(y, 0, 1), final


def _begun(
    form: Form, x: "Tensor | Packed", given: Tensor, start: Any, size: tuple[int, int]
) -> list[Tensor]:
    """The first states, zeros where none are given; in the order of packed rows."""
    batch = x.order.shape[0] if isinstance(x, Packed) else x.shape[0]
    if start is None:
        shape = (size[0], batch, size[1])
        return [made(given.tape, shape, given.dtype) for _ in range(form.states)]
    parts = list(start) if isinstance(start, tuple) else [start]
    return [index_select(part, 1, x.order) for part in parts] if isinstance(x, Packed) else parts


def _layer(
    form: Form, ways: Sequence[Weights], y: Tensor, held: Sequence[States], x: "Tensor | Packed"
) -> tuple[Tensor, list[States]]:
    """One layer over all steps: the results of both ways side by side."""
    if isinstance(x, Packed):
        found = [
            _packed(form, weights, y, states, x.steps, bool(i))
            for i, (weights, states) in enumerate(zip(ways, held, strict=True))
        ]
        outputs, ends = [each for each, _ in found], [states for _, states in found]
        return (outputs[0] if len(ways) == 1 else cat(outputs, -1)), ends
    outputs, ends, there = [], [], []
    for weights, states in zip(ways, held, strict=True):
        mapped = weights.of_input(y)
        parts, states = _steps(form, weights, _unbound(mapped, x.shape[1]), states)
        outputs.append(stack(parts, 0))
        there.append(parts)
        ends.append(states)
    return (outputs[0] if len(ways) == 1 else cat(outputs, -1)), ends


def _packed(
    form: Form, weights: Weights, y: Tensor, states: States, steps: int, backwards: bool
) -> tuple[Tensor, States]:
    """One way over packed rows; states of rows that ended earlier are put to the others."""
    batch = states[0].shape[0]
    mapped = weights.of_input(y)
    parts, states = _steps(form, weights, _cut(mapped, batch, steps), states)
    return joined(parts), states if backwards else tuple(cat([part], 0) for part in states)


def _unbound(mapped: Tensor, steps: int) -> Iterator[Tensor]:
    """The steps [B, O] of what is [T, B, O]."""
    yield from mapped.tape.loop([*tuple.__iter__(unbind(mapped, 0))], steps)


def _cut(mapped: Tensor, batch: int, steps: int) -> Iterator[Tensor]:
    """The steps [B, O] of rows [T·B, O]."""
    for _ in mapped.tape.loop(list(range(int(steps))), steps):
        yield narrow(mapped, 0, 0, batch)


def _steps(
    form: Form, weights: Weights, steps: Iterator[Tensor], states: States
) -> tuple[list[Tensor], States]:
    """The state behind each step, and the last with all its parts."""
    found: list[Tensor] = []
    for part in steps:
        states = form.cell(part, states, weights, True)
        found.append(states[0])
    return found, states
