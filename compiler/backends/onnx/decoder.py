"""What a program that serves a decoder must know of its model file."""

from archspec.source.frozen import Frozen
from compiler.backends.onnx.listing import ELEMENTS, Element, Listing
from compiler.backends.onnx.past import PREFIX
from compiler.ir.program import Program
from compiler.ir.size import constant
from compiler.passes.logits import logits_of


class Decoder(Frozen):
    """A decoder with keys and values in a cache.

    Attributes:
        ids, mask, logits: names; the mask is of integers, None where there is none.
        vocabulary, layers, kv_heads, head_dim: sizes.
        shares: whether what is kept may stay in one buffer that is longer than it.
    """

    ids: str
    mask: str | None
    logits: str
    vocabulary: int
    layers: int
    kv_heads: int
    head_dim: int
    shares: bool


def decoder_of(program: Program, listing: Listing) -> Decoder | None:
    """What `listing` is as a decoder of ids alone; None for any other model."""
    ids, mask = program.grown, f"{program.grown}_mask"
    others = {name: ELEMENTS[found.element] for name, found in listing.inputs.items()}
    if others.pop(ids, None) is None or others not in ({}, {mask: Element.int64}):
        return None
    layers = len(listing.past) // 2
    numbered = {f"{PREFIX}.{n}.{kind}" for n in range(layers) for kind in ("key", "value")}
    if not layers or set(listing.past) != numbered:
        return None
    logits = logits_of(program)
    found = listing.outputs.get(logits)
    if found is None:
        return None
    shapes = {tuple(program.key.fix(size) for size in kept.shape) for kept in listing.past.values()}
    sizes = [constant(size) for size in next(iter(shapes))]
    vocabulary = constant(program.key.fix(found.shape[-1]))
    if len(shapes) > 1 or vocabulary is None or sizes[1] is None or sizes[3] is None:
        return None
    given = mask if others else None
    return Decoder(ids, given, logits, vocabulary, layers, sizes[1], sizes[3], listing.shares)
