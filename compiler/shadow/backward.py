"""A backward pass: steps from the last to the first, as torch's engine takes them.

Gradients of results are handed to the steps that made them; what a step keeps goes when it is done.
"""

import sys
from collections.abc import Callable, Container, Sequence

from compiler.shadow.pointwise import binary, cast
from compiler.shadow.reductions import sum_to
from compiler.shadow.tape import Edge, Step, Tape, UnknownError
from compiler.shadow.tensor import Tensor, made

Buffers = dict[Step, dict[int, Tensor]]
"""Gradients that have come to each step so far, by result."""
ALONE = 2
"""What Python counts for what only one place has, the question among them."""


def go_back(loss: Tensor) -> list[Tensor]:
    """The gradients of all weights that a loss depends on."""
    tape = loss.tape
    if loss.step is None:
        raise UnknownError("no weight is in the loss")
    one = made(tape, loss.shape, loss.dtype)
    tape.events.append(("turn", 0))
    found = _pass(loss.step, one)
    _turn(tape, ())
    del one
    return list(found.values())


def recomputed(
    tape: Tape,
    entered: Sequence[Tensor],
    again: Callable[[Sequence[Tensor]], Tensor],
    gradient: Tensor,
) -> tuple[Tensor | None, ...]:
    """What is forgotten in a forward is computed again and gone back through; gradients of what
    entered it. Those of weights stay."""
    forgotten, tape.recompute = tape.recompute, "none"
    result = again(entered)
    tape.recompute = forgotten
    last = result.step
    assert last is not None
    del result
    found = _pass(last, gradient, {x.step for x in entered if x.step})
    gradients = tuple(None if x.step is None else found.pop(x.step, None) for x in entered)
    tape.gradients += found.values()
    return gradients


def _pass(last: Step, gradient: Tensor, entered: Container[Step] = ()) -> dict[Step, Tensor]:
    """All steps from one on; the gradients of weights and of what entered. Those of weights are
    gone where weights have some already, to which they are added."""
    order = _order(last)
    waiting = _consumers(order)
    buffers: Buffers = {last: {0: gradient}}
    found: dict[Step, Tensor] = {}
    for step in order:
        if not step.edges and step.back is None:
            continue
        _turn(step.tape, step.rounds)
        _take(step, buffers, waiting, found, entered)
    return found


def _order(last: Step) -> list[Step]:
    """All steps that a loss depends on, the latest first."""
    seen = {last}
    stack = [last]
    while stack:
        for each in stack.pop().edges:
            if each is not None and each.step not in seen:
                seen.add(each.step)
                stack.append(each.step)
    return sorted(seen, key=lambda step: -step.number)


def _consumers(order: Sequence[Step]) -> dict[Step, int]:
    found: dict[Step, int] = {}
    for step in order:
        for each in step.edges:
            if each is not None:
                found[each.step] = found.get(each.step, 0) + 1
    return found


def _take(
    step: Step,
    buffers: Buffers,
    waiting: dict[Step, int],
    found: dict[Step, Tensor],
    entered: Container[Step],
) -> None:
    """One step: its gradients are worked out, what it keeps goes, and they are handed on."""
    given = buffers.pop(step, {})
    if given and step.back is None:
        raise UnknownError("an operator has no gradient that is counted")
    results = _gradients(step, given) if given else []
    given.clear()
    step.release()
    results.reverse()
    for each in step.edges:
        if each is None:
            continue
        if results:
            _hand(each, results.pop(), buffers)
        waiting[each.step] -= 1
        leaf = not each.step.edges and each.step.back is None
        if leaf and not waiting[each.step]:
            arrived = buffers.pop(each.step, {})
            if step.tape.accumulates and each.step not in entered:
                arrived.clear()
            for gradient in arrived.values():
                found[each.step] = _own(gradient)


def _gradients(step: Step, given: dict[int, Tensor]) -> "list[Tensor | None]":
    """A gradient for each way back, in the shape and type of what went in."""
    assert step.back is not None
    gradients = step.back(*(given.get(i) for i in range(step.results)))
    found = list(gradients) if isinstance(gradients, tuple) else [gradients]
    del gradients
    for i, to in enumerate(step.edges):
        x, found[i] = found[i], None
        if x is not None and to is not None:
            x = sum_to(x, to.shape)
            found[i] = cast(x, to.dtype)
        x = None
    return [x for x, to in zip(found, step.edges, strict=True) if to is not None]


def _hand(to: Edge, gradient: "Tensor | None", buffers: Buffers) -> None:
    """Add a gradient to what has come to a step already."""
    if gradient is None:
        return
    there = buffers.setdefault(to.step, {})
    old = there.pop(to.port, None)
    if old is None:
        there[to.port] = gradient
    elif gradient.tape.in_place and _alone(old):
        there[to.port] = old
    else:
        there[to.port] = binary("add", old, gradient)


def _own(x: Tensor) -> Tensor:
    """The gradient of a weight: a copy, unless it is in order and nobody else has it."""
    alone = sys.getrefcount(x) <= ALONE + 2
    return x if x.in_order and alone else made(x.tape, x.shape, x.dtype)


def _alone(x: Tensor) -> bool:
    """Whether nobody else has a tensor or its memory."""
    return not x.looks and sys.getrefcount(x) <= ALONE + 1 and sys.getrefcount(x.storage) <= ALONE


def _turn(tape: Tape, rounds: tuple[int, ...]) -> None:
    """Leave the rounds of loops that a step is not in, and enter those that it is."""
    while tape.open and tuple(tape.open) != rounds[: len(tape.open)]:
        last = tape.open.pop()
        tape.events.append(("leave", last))
        at = len(tape.open)
        follows = rounds[at] if len(rounds) > at else None
        loop = tape.rounds[last].loop
        if follows is None or tape.rounds[follows].loop != loop or rounds[:at] != tuple(tape.open):
            tape.events.append(("unwound", loop))
    for each in rounds[len(tape.open) :]:
        tape.open.append(each)
        tape.events.append(("enter", each))
