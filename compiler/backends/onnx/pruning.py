"""A listing without what no output of it depends on."""

from collections.abc import Sequence
from dataclasses import replace

from compiler.backends.onnx.listing import Block, Body, Listing, Step, flat


def pruned(listing: Listing) -> Listing:
    """`listing` without the steps, constants and weights that no output depends on."""
    needed = {*listing.given()}
    steps = _needed(listing.steps, needed)
    constants = {name: found for name, found in listing.constants.items() if name in needed}
    weights = {name: found for name, found in listing.weights.items() if name in needed}
    return replace(listing, steps=steps, constants=constants, weights=weights)


def _needed(steps: Sequence[Step | Block], needed: set[str]) -> list[Step | Block]:
    kept: list[Step | Block] = []
    for step in reversed(steps):
        if isinstance(step, Step):
            if not needed.isdisjoint(step.outputs):
                needed.update(step.read)
                kept.append(step.trimmed(needed))
        elif step.name in needed or not needed.isdisjoint(_made_inside(step)):
            needed.update((step.start, step.end))
            kept.append(replace(step, bodies=_needed_bodies(step.bodies, needed)))
    return kept[::-1]


def _made_inside(block: Block) -> set[str]:
    """What the layers of a block make: the outputs of an encoder for every layer of its decoder."""
    return {name for step in flat([block]) for name in step.made}


def _needed_bodies(bodies: Sequence[Body], needed: set[str]) -> tuple[Body, ...]:
    kept = [replace(body, steps=tuple(_needed(body.steps, needed))) for body in reversed(bodies)]
    return tuple(kept[::-1])
