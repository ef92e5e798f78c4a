"""Decoding: with a cache, one token at a time gives what the whole sequence gives at once."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from compiler.ir.program import Program
from compiler.ir.size import letter, value
from compiler.ops.rope_by_length import Dynamic, Longrope
from compiler.verify.compiled import Compiled
from compiler.verify.difference import apart
from compiler.verify.examples import Example, example
from compiler.verify.module import call, of_source
from compiler.verify.verdict import Check, at_most, skipped

if TYPE_CHECKING:
    from torch import Tensor, nn

NAME: Final = "prefill = chunks = steps"
BAR: Final = 1e-5
BATCH, LENGTH = 2, 11


def decoding(made: Compiled, model: "nn.Module") -> Check:
    """All positions at once against prefill, chunked prefill and single steps with the cache."""
    import torch

    if not made.program.grown:
        return skipped(NAME, "the model does not decode")
    given = example(made.spec, made.program, BATCH, LENGTH)
    length = given.values[made.program.grown].shape[1]
    if limit := crossed(made.program, length):
        return skipped(NAME, f"angles change where a sequence crosses {limit} positions")
    ways = {
        "prefill": [length],
        "chunks": [length // 2, 1, length - length // 2 - 1],
        "steps": [1] * length,
    }
    with torch.no_grad():
        wanted = call(model, given.values)
        found = {name: decoded(made, model, given, cuts) for name, cuts in ways.items()}
    whole = [wanted[i] for i in grows(made)]
    worst, way = max((apart(f, whole), name) for name, f in found.items())
    return at_most(NAME, worst, BAR, "" if worst <= BAR else f"in {way}")


def crossed(program: Program, length: int) -> int:
    """The length, if one is below `length`, beyond which all positions turn by other angles."""
    scalings = [getattr(node.what, "scaling", None) for _, node, _ in program.flat()]
    limits = [s.original for s in scalings if isinstance(s, Dynamic | Longrope)]
    return min((limit for limit in limits if limit < length), default=0)


def grows(made: Compiled) -> list[int]:
    """Which outputs have the positions of what grows."""
    main = made.program.main
    axis = main.type(main.inputs[made.head]).shape[1:2]
    types = [main.type(value) for value in main.outputs.values()]
    return [i for i, found in enumerate(types) if found.shape[1:2] == axis]


def decoded(
    made: Compiled, model: "nn.Module", given: Example, cuts: Iterable[int]
) -> "list[Tensor]":
    """The outputs over all positions, computed in pieces of the given lengths with a cache."""
    import torch

    values = dict(given.values)
    values.update(states(made, given, spare=2))
    place = position(made)
    method: Any = model
    if hasattr(type(model), "decode"):
        method = method.decode
        values.update(of_source(model, values))
    pieces, pos = [], 0
    for cut in cuts:
        if cut:
            step = piece(made, values, pos, pos + cut)
            pieces.append(call(method, {**step, place: pos}))
        pos += cut
    return [torch.cat([piece[i] for piece in pieces], dim=1) for i in grows(made)]


def position(made: Compiled) -> str:
    """What the model calls the count of positions that its cache holds, if it has one."""
    main = made.program.main
    return next((n for n, v in main.inputs.items() if not main.type(v).shape), "")


def states(made: Compiled, given: Example, spare: int = 0) -> "dict[str, Tensor]":
    """An empty cache for each state of a decoder, with a few slots more than are needed."""
    import torch

    main = made.program.main
    found = {n: main.type(v) for n, v in main.inputs.items()}
    slots = given.values[made.program.grown].shape[1] + spare
    sizes = {**made.program.key.sizes, **given.lengths}
    sizes |= {k.name: slots for k in made.program.key.key.values() if k.role == "cache"}
    return {
        name: torch.zeros([value(size, sizes) for size in kind.shape])
        for name, kind in found.items()
        if kind.optional and kind.element == "float"
    }


def piece(
    made: Compiled, values: "Mapping[str, Tensor]", start: int, end: int
) -> "dict[str, Tensor]":
    """Values with axes of new positions cut to `start` up to `end`, those of all seen to `end`."""
    main, step = made.program.main, dict(values)
    cuts = {main.type(main.inputs[made.head]).shape[1]: slice(start, end)}
    seen = (k.name for k in made.program.key.key.values() if k.role == "seen")
    cuts |= {letter(name): slice(end) for name in seen}
    for name in main.inputs.keys() & values.keys():
        shape = main.type(main.inputs[name]).shape
        step[name] = values[name][tuple(cuts.get(size, slice(None)) for size in shape)]
    return step
