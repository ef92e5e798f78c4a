"""Why a total is not counted of a model."""

from typing import Final

from compiler.passes.cost import Costs
from compiler.passes.metrics.peaks import STEP

UNCOUNTED: Final = "its sizes follow from numbers in tensors, or no operator of archc calls it"


def lacking(costs: Costs, name: str) -> tuple[str, str]:
    """What stands in the way of counting a total, as a label, and a line of help about that."""
    memory = costs.memory
    if memory and memory.unknown:
        return memory.one_way, UNCOUNTED
    return (memory.one_way if memory and name in STEP else "") or "it has none", ""
