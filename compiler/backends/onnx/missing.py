"""Which nodes of a listing the runtime has no kernel for on the target that it is made for."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.backends.onnx.elements import Typed, Typing
from compiler.backends.onnx.halves import HALVES, MADE_WIDE
from compiler.backends.onnx.kernels import Table, table
from compiler.backends.onnx.listing import Listing
from compiler.backends.onnx.singles import runs, runs_single
from compiler.backends.onnx.versions import opset
from compiler.ir.target import Target

Instead: TypeAlias = Literal["cpu", "cast", "single"]
"""What happens where a kernel is missing: the runtime copies to the CPU, or casts to float32 and
back there, or the file itself casts on the device."""


class Missing(Frozen):
    """Nodes of one operator and the same element types without a kernel on the target.

    Attributes:
        operator: with its domain, `com.microsoft.MoE`.
        types: the element types that it is asked for, in the order of its schema.
        nodes: the paths of the nodes, layers folded.
        spans: where the spec says them.
        count: how many there are with all layers.
        instead: what the runtime does then; None where it refuses the model.
    """

    operator: str
    types: tuple[str, ...]
    nodes: tuple[str, ...]
    spans: tuple[Span, ...]
    count: int
    instead: Instead | None


def missing(listing: Listing, target: Target, known: Table | None = None) -> list[Missing]:
    """What has no kernel, an entry for each operator and its types; `known` says what has one.

    Portable models are held against the kernels of the CPU, which every build of the runtime has.
    """
    known = table() if known is None else known
    version = opset({step.operator for step in listing.flat()})
    number = str(HALVES.get(target.floats, "float"))
    provider = "cuda" if target.provider == "cuda" else "cpu"
    groups: dict[tuple[str, tuple[str, ...]], list[Typed]] = {}
    wide = MADE_WIDE if number != "float" else ()
    typing = Typing.of(listing, known, version, number)
    for each in typing.steps(listing.steps):
        if not runs(known, provider, each) and each.step.kind not in wide:
            key = (each.step.operator, tuple(dict.fromkeys(each.types.values())))
            groups.setdefault(key, []).append(each)
    return [
        Missing(
            name,
            types,
            tuple(each.step.name for each in found),
            tuple(dict.fromkeys(each.step.span for each in found)),
            sum(each.times for each in found),
            _instead(known, provider, found),
        )
        for (name, types), found in groups.items()
    ]


def _instead(known: Table, provider: str, found: Sequence[Typed]) -> Instead | None:
    single = all(runs_single(known, provider, each) for each in found)
    if provider != "cpu" and single:
        return "single"
    if provider != "cpu":
        return "cpu" if all(runs(known, "cpu", each) for each in found) else None
    return "cast" if single and all("float16" in each.types.values() for each in found) else None
