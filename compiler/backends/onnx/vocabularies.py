"""How many ids each input of a model may have, by the tables that its rows are picked from."""

from collections.abc import Iterable
from typing import Final

from compiler.backends.onnx.listing import Listing

PICKS: Final = ("Gather", "GatherBlockQuantized")
TURNS: Final = ("GatherElements", "GatherND")
"""What puts the places of an input into another order."""


def vocabularies(listings: Iterable[Listing]) -> dict[str, int]:
    """The rows of the smallest table that each input picks from, by its name."""
    found: dict[str, int] = {}
    for listing in listings:
        stands = {name: name for name in listing.inputs}
        for step in listing.flat():
            source = stands.get(step.inputs[0]) if step.kind in TURNS else None
            if source is not None:
                stands[step.outputs[0]] = source
            table = listing.weights.get(step.inputs[0]) if step.kind in PICKS else None
            if table is not None and step.inputs[1] in stands:
                name = stands[step.inputs[1]]
                found[name] = min(found.get(name, table.shape[0]), table.shape[0])
    return found
