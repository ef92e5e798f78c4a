"""What an operator costs, in elements and operations, as formulas in the dimension letters."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from compiler.ir.size import Poly, Size, as_poly

NOTHING = as_poly(0)


@dataclass(frozen=True)
class Cost:
    """The cost of one use of an operator, forward.

    One multiply-add counts as two FLOPs.

    Attributes:
        matmul: FLOPs of matrix products, every pair of an attention counted.
        visible: the same over the pairs that a causal mask lets through; `matmul` where there is
            no mask.
        maps: those of `matmul` and `visible` that multiply with weights in an attention.
        mix: those of `matmul` that mix values by an attention's shares; its others but `maps` make
            the scores.
        elementwise: FLOPs of everything else, by the constants of ELECTRA's `flops_computation.py`.
        scores: elements of the attention matrix that an unfused kernel writes out (B·H·T·S).
        statistics: elements that a fused attention kernel keeps instead: one log-sum-exp a row
            (B·H·T).
        bias: elements of matrices that are added to scores; they are written out for fused kernels
            too.
        state: elements that decoding keeps between steps (keys and values).
        steps: computations that wait for each other along a sequence; 0 where positions go at once.
    """

    matmul: Size = NOTHING
    visible: Size | None = None
    maps: Size = NOTHING
    mix: Size = NOTHING
    elementwise: Size = NOTHING
    scores: Size = NOTHING
    statistics: Size = NOTHING
    bias: Size = NOTHING
    state: Size = NOTHING
    steps: Size = NOTHING

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(**{name: self.total(name) + other.total(name) for name in NAMES})

    def times(self, count: Size) -> "Cost":
        """The cost of `count` uses."""
        return Cost(**{name: self.total(name) * count for name in NAMES})

    def at(self, values: Mapping[str, Size]) -> "Cost":
        """The same cost with sizes in the place of letters."""
        return Cost(**{name: self.total(name).at(values) for name in NAMES})

    def total(self, name: str) -> Poly:
        """One figure by its name, with `visible` falling back to `matmul`."""
        found = self.matmul if name == "visible" and self.visible is None else getattr(self, name)
        return as_poly(found)


NAMES: Final = tuple(field.name for field in fields(Cost))
