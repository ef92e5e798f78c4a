"""Whether the runtime has a kernel for every node of a model on the target that it is made for."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, cast

from archspec.source.diagnostic import Diagnostic, Label, SpecError
from archspec.source.span import NOWHERE, Span
from archspec.source.suggest import listed
from compiler.backends.onnx.folded import folded
from compiler.backends.onnx.halves import HALVES
from compiler.backends.onnx.listing import WIDTHS, Apart, Element, Listing
from compiler.backends.onnx.missing import Missing, missing
from compiler.backends.onnx.mixture import LINE, TILE
from compiler.ir.program import Program
from compiler.ir.target import BITS, PORTABLE, PROVIDERS, Precision, Provider, Target
from compiler.report.numbers import memory

SHOWN: Final = 3
"""Lines of a spec that a diagnostic shows beside the first."""

NAMED: Final = 4
"""Operators that a line names before it counts the rest."""

FLOATS: Final[tuple[Precision, ...]] = ("fp32", "fp16", "bf16")


def kernels(programs: Iterable[Program], target: Target, place: Span) -> tuple[str, ...]:
    """What the runtime will do otherwise than the model says, a line each.

    `programs` are as the back end gets them, one for each file; `place` stands for what no line of
    the spec says. Raises SpecError where it would refuse to load the model.
    """
    every = tuple(programs)
    listings = [folded(program, target) for program in every]
    found = [each for listing in listings for each in missing(listing, target)]
    refused = [each for each in found if each.instead is None]
    if refused:
        raise SpecError((_diagnostic(every, target, refused, place),))
    apart = (note for each in listings for note in _apart(each, target))
    spread = (note for each in listings for note in _spread(each, target))
    return (*_notes(found), *apart, *spread)


def _apart(listing: Listing, target: Target) -> Iterator[str]:
    """The attentions of a decoder that are not one node with their cache, by what they are for."""
    places: dict[Apart, list[str]] = {}
    for path, each in listing.apart.items():
        attention = path.strip("/").replace("/", ".").rpartition(".")[0]
        places.setdefault(each, []).append(attention)
    for each, paths in places.items():
        size = memory(each.kept * WIDTHS[HALVES.get(target.floats, Element.float32)])
        yield (
            f"{', '.join(paths)}: no `GroupQueryAttention`, as {each.reason}; every step copies "
            f"what a layer has kept, {size} a position"
        )


def _spread(listing: Listing, target: Target) -> Iterator[str]:
    """The mixtures on a device that are no node of their own; elsewhere products are as fast."""
    if target.provider != "cuda" or not listing.grouped:
        return
    paths = dict.fromkeys(
        path.strip("/").replace("/", ".").rpartition(".")[0] for path in listing.grouped
    )
    rounded = target.precision in BITS
    node = "`QMoE`" if rounded else "`MoE`"
    sizes = f"in whole blocks and multiples of {TILE}" if rounded else f"in multiples of {LINE}"
    yield (
        f"{', '.join(paths)}: no {node}, which takes gated experts with SiLU of routers with "
        f"positive scores, and widths {sizes}; each expert has products of its own, for which "
        "every run copies to the host how many rows it has"
    )


def _notes(found: Sequence[Missing]) -> Iterator[str]:
    copied = [each for each in found if each.instead == "cpu"]
    cast_ = [each for each in found if each.instead == "cast"]
    single = [each for each in found if each.instead == "single"]
    if copied:
        count = sum(each.count for each in copied)
        nodes = "1 node runs" if count == 1 else f"{count} nodes run"
        yield (
            f"{nodes} on the CPU, as CUDA has no kernel for {_named(copied)}: "
            f"what goes in and out is copied between the devices in every run"
        )
    if single:
        count = sum(each.count for each in single)
        nodes = "1 node is" if count == 1 else f"{count} nodes are"
        yield (
            f"{nodes} computed in float32 between casts, as CUDA has no kernel for {_named(single)}"
        )
    if cast_:
        count = sum(each.count for each in cast_)
        yield (
            f"{count} nodes are computed in float32 between casts, as the CPU has no kernel for "
            f"{_named(cast_)}: fp16 makes the files smaller and nothing faster there"
        )


def _diagnostic(
    programs: Sequence[Program], target: Target, refused: Sequence[Missing], place: Span
) -> Diagnostic:
    first, *others = _labels(refused, place)
    message = f"`{target.provider}` has no kernel for {_named(refused)}"
    return Diagnostic("AR0940", message, first, tuple(others), help=_help(programs, target))


def _labels(refused: Sequence[Missing], place: Span) -> list[Label]:
    places: dict[Span, str] = {}
    for each in refused:
        for span in each.spans:
            places.setdefault(place if span == NOWHERE else span, f"becomes `{each.operator}`")
    return [Label(span, said) for span, said in places.items()][: SHOWN + 1]


def _named(found: Sequence[Missing]) -> str:
    """`GRU` and `LSTM` of bfloat16; the first few, then how many more."""
    by_type: dict[str, list[str]] = {}
    for each in found:
        by_type.setdefault(each.types[0], []).append(each.operator)
    return ", ".join(f"{_few(names)} of {kind}" for kind, names in by_type.items())


def _few(names: Sequence[str]) -> str:
    unique = list(dict.fromkeys(names))
    if len(unique) <= NAMED + 1:
        return listed(unique, "and")
    return f"{', '.join(f'`{name}`' for name in unique[:NAMED])} and {len(unique) - NAMED} more"


def _help(programs: Sequence[Program], target: Target) -> str:
    """Which other precisions run on the same provider, else which other providers do."""
    floats = FLOATS if target.fuses else ()
    precisions = [name for name in floats if _loads(programs, replace(target, precision=name))]
    providers = [
        name
        for name in PROVIDERS
        if name != PORTABLE.provider
        if _loads(programs, replace(target, provider=cast(Provider, name)))
    ]
    options = chain(
        (f"--precision {name}" for name in precisions), (f"--target {name}" for name in providers)
    )
    return f"it can be built with {listed(options)}"


def _loads(programs: Sequence[Program], target: Target) -> bool:
    found = chain.from_iterable(missing(folded(each, target), target) for each in programs)
    return all(each.instead is not None for each in found)
