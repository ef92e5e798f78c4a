"""Decoding a recurrence: step by step it gives what the whole sequence gives at once."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from compiler.passes.stages import called
from compiler.verify.compiled import Compiled
from compiler.verify.decoding import BAR, BATCH, LENGTH, NAME
from compiler.verify.difference import apart
from compiler.verify.examples import Example, example
from compiler.verify.module import call, of_source
from compiler.verify.verdict import Check, at_most, skipped

if TYPE_CHECKING:
    from torch import Tensor, nn


def stepwise(made: Compiled, model: "nn.Module") -> Check:
    """All positions at once against a first piece, further pieces and single steps."""
    import torch

    if not hasattr(type(model), "decode"):
        return skipped(NAME, "the model has no source that it encodes once")
    given = example(made.spec, made.program, BATCH, LENGTH)
    length = given.values[made.program.stepped].shape[1]
    ways = {
        "prefill": [length],
        "chunks": [length // 2, 1, length - length // 2 - 1],
        "steps": [1] * length,
    }
    with torch.no_grad():
        wanted = call(model, given.values)
        found = {name: decoded(made, model, given, cuts) for name, cuts in ways.items()}
    worst, way = max((apart(each, wanted), name) for name, each in found.items())
    return at_most(NAME, worst, BAR, "" if worst <= BAR else f"in {way}")


def decoded(made: Compiled, model: Any, given: Example, cuts: Iterable[int]) -> "list[Tensor]":
    """The outputs over all positions, computed in pieces that hand their states on."""
    import torch

    main, head = made.program.main, made.program.stepped
    values = dict(given.values)
    values.update(of_source(model, values))
    states = [called(main[start.node], start.port) for start, _ in made.program.states]
    ids, pos = values[head], 0
    pieces: list[tuple[Tensor, ...]] = []
    for cut in cuts:
        found = call(model.decode, {**values, head: ids[:, pos : pos + cut]})
        pieces.append(found[: len(main.outputs)])
        values.update(zip(states, found[len(main.outputs) :], strict=True))
        pos += cut
    return [torch.cat(each, dim=1) for each in zip(*pieces, strict=True)]
