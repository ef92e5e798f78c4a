"""The modules of torch that run cells: over a sequence, or one step."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

from compiler.shadow import recurrences
from compiler.shadow.cells import FORMS, Weights
from compiler.shadow.module import Module
from compiler.shadow.tape import Tape, UnknownError
from compiler.shadow.tensor import Tensor

PACKING: Final = SimpleNamespace(
    pack_padded_sequence=recurrences.pack_padded_sequence,
    pad_packed_sequence=recurrences.pad_packed_sequence,
)


def recurrent(tape: Tape, weight: Callable[..., Tensor]) -> dict[str, Any]:
    """Their names; `weight` makes a weight of a shape."""

    def weights(gates: int, reads: int, width: int) -> Weights:
        rows = gates * width
        return Weights(weight(rows, reads), weight(rows, width), weight(rows), weight(rows))

    class Recurrence(Module):
        def __init__(
            self,
            name: str,
            inputs: int,
            width: int,
            num_layers: int = 1,
            batch_first: bool = False,
            bidirectional: bool = False,
        ) -> None:
            if not batch_first:
                raise UnknownError(f"nn.{name} over steps first")
            self.name, self.width = name, width
            ways = 2 if bidirectional else 1
            gates = FORMS[name].gates
            self.layers = [
                [weights(gates, ways * width if i else inputs, width) for _ in range(ways)]
                for i in range(num_layers)
            ]

        def forward(self, x: Any, start: Any = None) -> Any:
            return recurrences.run(self.name, self.layers, x, start, self.width)

    class Cell(Module):
        def __init__(self, name: str, inputs: int, width: int) -> None:
            self.name, self.form = f"{name}Cell", FORMS[name]
            self.weights = weights(self.form.gates, inputs, width)

        def forward(self, x: Tensor, start: Any) -> Any:
            states = start if isinstance(start, tuple) else (start,)
            found = self.form.cell(x, states, self.weights, False)
            return found if self.form.states > 1 else found[0]

    return {
        **{name: partial(Recurrence, name) for name in FORMS},
        **{f"{name}Cell": partial(Cell, name) for name in FORMS},
    }
