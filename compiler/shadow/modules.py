"""The modules of torch that generated code builds on."""

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

from compiler.shadow import products, reductions
from compiler.shadow.kinds import FLOAT
from compiler.shadow.loops import over_layers
from compiler.shadow.module import Module
from compiler.shadow.recurrent import PACKING, recurrent
from compiler.shadow.tape import Step, Storage, Tape
from compiler.shadow.tensor import Tensor, made


def parameter(x: Tensor, requires_grad: bool = True) -> Tensor:
    """A weight: there from the start, in the type of the model."""
    kind = x.tape.model if x.dtype.rank == FLOAT else x.dtype
    step = Step(x.tape) if requires_grad else None
    return Tensor(x.tape, Storage(x.tape, None), x.shape, x.strides, kind, step)


def buffer(x: Tensor, persistent: bool = True) -> Tensor:
    """A tensor that goes with the weights and that no gradient reaches."""
    return parameter(x, False)


def modules(tape: Tape) -> dict[str, Any]:
    """`nn`, by its names."""

    def weight(*shape: int) -> Tensor:
        return parameter(made(tape, shape, tape.model))

    class Linear(Module):
        def __init__(self, inputs: int, outputs: int, bias: bool = True) -> None:
            self.weight = weight(outputs, inputs)
            self.bias = weight(outputs) if bias else None

        def forward(self, x: Tensor) -> Tensor:
            return products.linear(x, self.weight, self.bias)

    class Embedding(Module):
        def __init__(self, rows: int, width: int, **rest: Any) -> None:
            self.weight = weight(rows, width)

        def forward(self, ids: Tensor) -> Tensor:
            return products.embedding(ids, self.weight)

    class LayerNorm(Module):
        def __init__(self, width: int, eps: float = 1e-5, bias: bool = True) -> None:
            self.weight = weight(width)
            self.bias = weight(width) if bias else None

        def forward(self, x: Tensor) -> Tensor:
            return reductions.layer_norm(x, self.weight.shape, self.weight, self.bias)

    class RMSNorm(Module):
        def __init__(self, width: int, eps: float | None = None) -> None:
            self.weight = weight(width)

        def forward(self, x: Tensor) -> Tensor:
            return reductions.rms_norm(x, self.weight.shape, self.weight)

    class Convolution(Module):
        rank = 2

        def __init__(
            self,
            inputs: int,
            outputs: int,
            kernel_size: Any,
            stride: Any = 1,
            padding: Any = 0,
            dilation: Any = 1,
            groups: int = 1,
            bias: bool = True,
        ) -> None:
            self.weight = weight(outputs, inputs // groups, *self._each(kernel_size))
            self.bias = weight(outputs) if bias else None
            self.steps = [self._each(given) for given in (stride, padding, dilation)]

        def forward(self, x: Tensor) -> Tensor:
            return products.convolution(x, self.weight, self.bias, *self.steps)

        def _each(self, given: Any) -> tuple[int, ...]:
            return (given,) * self.rank if isinstance(given, int) else tuple(given)

    class Convolution1d(Convolution):
        rank = 1

    class ModuleList(Module):
        def __init__(self, layers: Iterable[Any] = ()) -> None:
            self.layers = list(layers)
            for each in self.layers:
                each._listed = True

        def __iter__(self) -> Iterator[Any]:
            return over_layers(tape, self.layers)

        def __len__(self) -> int:
            return len(self.layers)

        def __getitem__(self, index: Any) -> Any:
            if isinstance(index, slice):
                return ModuleList(self.layers[index])
            return self.layers[index]

    return {
        "Module": Module,
        "Parameter": parameter,
        "Buffer": buffer,
        "Linear": Linear,
        "Embedding": Embedding,
        "LayerNorm": LayerNorm,
        "RMSNorm": RMSNorm,
        "Conv1d": Convolution1d,
        "Conv2d": Convolution,
        "ModuleList": ModuleList,
        "ParameterDict": _Parameters,
        "init": _Drawing(),
        "utils": SimpleNamespace(rnn=PACKING),
        **recurrent(tape, weight),
    }


class _Parameters(Module):
    """Weights by name: tensors become some."""

    def __init__(self, given: dict[str, Tensor]) -> None:
        self.given = {name: x if x.grad else parameter(x) for name, x in given.items()}

    def __getattr__(self, name: str) -> Tensor:
        return self.given[name]

    def __getitem__(self, name: str) -> Tensor:
        return self.given[name]


class _Drawing:
    """`nn.init`: weights have no numbers to draw."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None
