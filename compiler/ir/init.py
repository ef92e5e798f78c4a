"""How a parameter is drawn before training: one rule each, as data."""

import math
from typing import Literal

from archspec.source.frozen import Frozen

Kind = Literal["normal", "uniform", "zeros", "ones", "constant", "xavier_uniform", "unit_rows"]


class Init(Frozen):
    """An initialisation rule; `a` and `b` mean what `kind` says.

    `normal`: standard deviation `a`, mean 0. `uniform`: within ±`a`. `constant`: the value `a`.
    `zeros` and `ones` take neither. `xavier_uniform`: `a` is fan in and `b` fan out
    (Glorot & Bengio 2010, eq. 16). `unit_rows`, of a table: normal with deviation D**-0.5 for rows
    D wide, so that the expected square of a row's length is 1; the table knows D.
    """

    kind: Kind
    a: float = 0.0
    b: float = 0.0

    @property
    def bound(self) -> float:
        """Half the width of a uniform rule; 0 for every other rule."""
        if self.kind == "uniform":
            return self.a
        if self.kind == "xavier_uniform":
            return math.sqrt(6.0 / (self.a + self.b))
        return 0.0
