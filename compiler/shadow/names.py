"""The names that generated code knows torch by."""

import math
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any, Final

from compiler.shadow import attention, joining, making, pointwise, products, reductions, views
from compiler.shadow.kinds import BOOLEAN, FLOAT32, INT64, KINDS, Kind
from compiler.shadow.loops import folding_range, folding_zip
from compiler.shadow.modules import modules
from compiler.shadow.tape import Tape, UnknownError
from compiler.shadow.tensor import Device, Tensor, elements


def _to(x: Tensor, target: Any) -> Tensor:
    return pointwise.cast(x, target) if isinstance(target, Kind) else x


def _type(kind: Kind) -> Callable[[Tensor], Tensor]:
    return lambda x: pointwise.cast(x, kind)


def _size(x: Tensor, dim: int | None = None) -> Any:
    return x.shape if dim is None else x.shape[dim]


METHODS: Final[dict[str, Callable[..., Any]]] = {
    **{name: partial(pointwise.unary, name) for name in pointwise.KEEPS},
    "clamp": pointwise.clamp,
    "masked_fill": pointwise.masked_fill,
    "to": _to,
    "type_as": lambda x, other: pointwise.cast(x, other.dtype),
    "float": _type(FLOAT32),
    "int": _type(KINDS["int32"]),
    "long": _type(INT64),
    "bool": _type(BOOLEAN),
    "cpu": products.alike,
    "size": _size,
    "numel": elements,
    "dim": lambda x: len(x.shape),
    "is_contiguous": lambda x: x.in_order,
    "view": views.view,
    "view_as": lambda x, other: views.view(x, other.shape),
    "reshape": views.reshape,
    "contiguous": views.contiguous,
    "flatten": views.flatten,
    "unflatten": views.unflatten,
    "transpose": views.transpose,
    "permute": views.permute,
    "unsqueeze": views.unsqueeze,
    "squeeze": views.squeeze,
    "expand": views.expand,
    "expand_as": lambda x, other: views.expand(x, other.shape),
    "narrow": views.narrow,
    "split": views.split,
    "chunk": views.chunk,
    "unbind": views.unbind,
    "sum": reductions.total,
    "mean": reductions.mean,
    "amax": reductions.amax,
    "max": reductions.amax,
    "softmax": reductions.softmax,
    "logsumexp": reductions.logsumexp,
    "cumsum": reductions.cumsum,
    "cummax": reductions.cummax,
    "topk": reductions.topk,
    "argsort": reductions.argsort,
    "argmax": reductions.argmax,
    "gather": reductions.gather,
    "scatter": reductions.scatter,
    "index_select": reductions.index_select,
    "repeat": joining.repeat,
    "repeat_interleave": joining.repeat_interleave,
    "tril": reductions.tril,
    "new_zeros": making.new_zeros,
    "new_ones": making.new_zeros,
    "uniform_": lambda x, *_: x,
    "new_full": making.new_full,
}
PROPERTIES: Final[dict[str, Callable[[Tensor], Any]]] = {
    "T": views.turned,
    "mT": views.matrix_turned,
    "ndim": lambda x: len(x.shape),
}
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **METHODS,
    "cat": joining.cat,
    "stack": joining.stack,
    "outer": reductions.outer,
    "where": pointwise.where,
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like"), making.zeros_like),
}
FUNCTIONAL: Final[dict[str, Callable[..., Any]]] = {
    **{name: METHODS[name] for name in ("relu", "silu", "softmax")},
    "gelu": lambda x, approximate="none": pointwise.unary("gelu", x),
    "linear": products.linear,
    "embedding": products.embedding,
    "dropout": pointwise.dropout,
    "rms_norm": reductions.rms_norm,
    "layer_norm": reductions.layer_norm,
    "normalize": reductions.normalize,
    "interpolate": reductions.interpolate,
    "pad": reductions.pad,
    "grouped_mm": products.grouped_mm,
    "scaled_dot_product_attention": attention.scaled_dot_product_attention,
}


class Names:
    """A part of torch: asking for something that is not there stops the run."""

    def __init__(self, name: str, known: dict[str, Any]) -> None:
        self.known, self.name = known, name

    def __getattr__(self, name: str) -> Any:
        if name not in self.known:
            raise UnknownError(f"{self.name}.{name}")
        return self.known[name]


def namespace(tape: Tape) -> dict[str, Any]:
    """The globals of a generated module: torch, and loops that fold."""
    factories = making.Making(tape)
    nn = Names("nn", modules(tape))
    torch = Names(
        "torch",
        {
            **FUNCTIONS,
            **KINDS,
            **{
                name: getattr(factories, name)
                for name in ("zeros", "ones", "empty", "rand", "full")
            },
            "tensor": factories.tensor,
            "arange": factories.arange,
            "bool": BOOLEAN,
            "long": INT64,
            "inf": math.inf,
            "pi": math.pi,
            "finfo": lambda kind: SimpleNamespace(min=-math.inf),
            "device": Device,
            "Tensor": Tensor,
            "nn": nn,
            "compiler": SimpleNamespace(is_compiling=_no, is_exporting=_no),
            "is_autocast_enabled": _no,
        },
    )
    return {
        "torch": torch,
        "F": Names("F", FUNCTIONAL),
        "Tensor": Tensor,
        "nn": nn,
        "range": folding_range(tape),
        "zip": folding_zip(tape),
    }


def _no(*_: Any) -> bool:
    return False
