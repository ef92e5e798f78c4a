"""Activations: a function of each element."""

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from compiler.ir.cost import Cost
from compiler.ir.operator import Operator
from compiler.ir.rules import Builder, Sizes, Writer
from compiler.ir.target import RUNTIME

Kind = Literal["gelu", "gelu_tanh", "quick_gelu", "relu", "relu2", "silu", "tanh", "sigmoid"]
TORCH: Final[dict[Kind, str]] = {
    "gelu": "F.gelu({x})",
    "gelu_tanh": 'F.gelu({x}, approximate="tanh")',
    "quick_gelu": "{x} * torch.sigmoid(1.702 * {x})",
    "relu": "F.relu({x})",
    "relu2": "F.relu({x}).square()",
    "silu": "F.silu({x})",
    "tanh": "torch.tanh({x})",
    "sigmoid": "torch.sigmoid({x})",
}
FLOPS: Final[dict[Kind, int]] = {
    "gelu": 8,
    "gelu_tanh": 8,
    "quick_gelu": 6,
    "relu": 1,
    "relu2": 2,
    "silu": 5,
    "tanh": 5,
    "sigmoid": 4,
}

SLOPES: Final[Mapping[Kind, float]] = {"quick_gelu": 1.702, "silu": 1.0}
"""The slope of the sigmoid in kinds that are x * sigmoid(slope * x)."""

GELUS: Final[Mapping[Kind, tuple[str, str]]] = {
    "gelu": ("Gelu", "BiasGelu"),
    "gelu_tanh": ("FastGelu", "FastGelu"),
}
"""ONNX Runtime's operators of a kind, without and with a bias."""


def expression(kind: Kind, x: str) -> str:
    """Python source of an activation of `x`, which `quick_gelu` says twice."""
    return TORCH[kind].format(x=x)


class Activation(Operator, signature="x:* -> y:*"):
    """`kind` of each element: GELU (Hendrycks & Gimpel 2016) by erf, by tanh or by a sigmoid, ReLU
    and its square (So et al. 2021), SiLU (Elfwing et al. 2018), tanh and the logistic function."""

    kind: Kind

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"no activation is called {self.kind}")

    def cost(self, n: Sizes) -> Cost:
        return Cost(elementwise=FLOPS[self.kind] * n.y)

    def torch(self, w: Writer) -> str:
        return expression(self.kind, w.named("x") if self.kind == "quick_gelu" else w.x)

    def onnx(self, b: Builder) -> Any:
        return self.nodes(b, b.x)

    def nodes(self, b: Builder, x: Any) -> Any:
        """The ONNX nodes for any value."""
        own = self._own(b, x) if b.target.fuses else None
        if own is not None:
            return own
        match self.kind:
            case "gelu":
                return b.op("Gelu", x)
            case "gelu_tanh":
                return b.op("Gelu", x, approximate="tanh")
            case "quick_gelu":
                return b.op("Mul", x, b.op("Sigmoid", b.op("Mul", x, b.number(1.702))))
            case "relu":
                return b.op("Relu", x)
            case "relu2":
                relu = b.op("Relu", x)
                return b.op("Mul", relu, relu)
            case "silu":
                return b.op("Mul", x, b.op("Sigmoid", x))
            case "tanh":
                return b.op("Tanh", x)
            case "sigmoid":
                return b.op("Sigmoid", x)

    def _own(self, b: Builder, x: Any) -> Any:
        """One node of ONNX Runtime's own, together with the bias that was added last, where there
        is one for the kind."""
        if self.kind in SLOPES:
            return b.op("QuickGelu", x, domain=RUNTIME, alpha=SLOPES[self.kind])
        if self.kind not in GELUS:
            return None
        alone, with_bias = GELUS[self.kind]
        parts = b.biased(x)
        kind, inputs = (alone, (x,)) if parts is None else (with_bias, parts)
        return b.op(kind, *inputs, domain=RUNTIME)
