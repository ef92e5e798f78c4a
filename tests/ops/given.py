"""What references of operators are given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from torch import Tensor

from compiler.ir.size import Size, value

Weights: TypeAlias = Mapping[str, Tensor]


@dataclass(frozen=True)
class Given:
    """What an operator is given; inputs are tensors, or None where a port is empty."""

    inputs: Sequence[Any]
    weights: Weights = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)

    def number(self, size: Size) -> int:
        """A fixed size as an integer."""
        return value(size, self.sizes)
