"""Which nodes of a listing the runtime has no kernel for on the target that it is made for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from archspec.source.frozen import Frozen
from archspec.source.span import Span
from compiler.backends.onnx.elements import Typed, Typing
from compiler.backends.onnx.halves import HALVES
from compiler.backends.onnx.kernels import Table, table
from compiler.backends.onnx.listing import Listing
from compiler.backends.onnx.versions import opset
from compiler.ir.target import Target

Instead: TypeAlias = Literal["cpu", "cast"]
"""What the runtime does where a kernel is missing: copy to the CPU, or cast to float32 and back."""


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
    typing = Typing.of(listing, known, version, number)
    for each in typing.steps(listing.steps):
        if not _runs(known, provider, each):
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
    if provider != "cpu":
        return "cpu" if all(_runs(known, "cpu", each) for each in found) else None
    single = [replace(each, types=_cast(each.types)) for each in found]
    casts = all("float16" in each.types.values() for each in found)
    return "cast" if casts and all(_runs(known, "cpu", each) for each in single) else None


def _cast(types: Mapping[str, str]) -> dict[str, str]:
    """As the runtime casts what the CPU cannot do in float16."""
    return {name: "float" if each == "float16" else each for name, each in types.items()}


def _runs(known: Table, provider: str, found: Typed) -> bool:
    kernels = known.serving(provider, found.step.operator, found.since)
    return any(each.takes(found.types) for each in kernels)
