"""What a decoder has kept, joined with what is new, where a node does not keep it itself."""

from compiler.backends.onnx.past import Kept
from compiler.ir.rules import Builder
from compiler.ops.heads import by_head


def behind(b: Builder, past: str, present: str, new: str, shape: tuple[int, ...]) -> str:
    """New positions behind earlier ones, kept as `present`: all that were seen.

    `shape` has the sizes that are fixed, else 0; positions are on the axis before the last. Where
    rows are counted each has its own end, new positions go to their places, and what is kept has as
    many slots as there were, or as many as it takes now. A step copies what is seen; only on a
    device, which captures no choices, or where a CPU has too few slots, it copies all of them too.
    """
    made: str
    axis = len(shape) - 2
    if b.counts is None:
        made = b.op("Concat", past, new, axis=axis, named=(present,))
        return made
    every, slots = b.lengths(b.dim("S")), b.op("Shape", past, start=axis, end=axis + 1)
    more = b.op("Max", b.op("Sub", every, slots), b.ints(0))
    others = [each for each in range(1, len(shape)) if each != axis]
    at = b.op("Unsqueeze", b.counts.places, b.ints(*others))
    at = b.op("Expand", at, b.op("Shape", new))

    def longer() -> str:
        # CUDA pads no bfloat16. Any numbers will do: what is behind a row's end is hidden.
        further = b.op("Slice", new, b.ints(0), more, b.ints(axis))
        found: str = b.op("Concat", past, further, axis=axis)
        return found

    def written(room: str, *named: str) -> str:
        found: str = b.op("ScatterElements", room, at, new, axis=axis, named=named)
        return found

    if b.target.provider == "cpu":
        kept = b.either(
            b.op("Greater", more, b.ints(0)),
            lambda: written(longer()),
            lambda: written(past),
            like=past,
            named=present,
        )
    else:
        kept = written(longer(), present)
    seen = b.op("Slice", kept, b.ints(0), every, b.ints(axis))
    made = b.op("Reshape", seen, b.ints(*shape))  # a slice tells no reader how wide it is
    return made


def every(b: Builder, found: Kept) -> str:
    """Kept and new keys or values [B, G, S, K]."""
    new = by_head(b, found.new, found.heads, found.width)
    return behind(b, found.past, found.present, new, (0, found.heads, 0, found.width))
