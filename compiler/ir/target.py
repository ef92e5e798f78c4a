"""What an ONNX model is made for: the runtime's provider and the precision of its numbers."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

Provider: TypeAlias = Literal["portable", "cpu", "cuda"]
Precision: TypeAlias = Literal["fp32", "fp16", "bf16", "int8", "int4"]

Logits: TypeAlias = Literal["last", "all"]

PROVIDERS: Final[tuple[str, ...]] = get_args(Provider)
PRECISIONS: Final[tuple[str, ...]] = get_args(Precision)
LOGITS: Final[tuple[str, ...]] = get_args(Logits)


@dataclass(frozen=True)
class Target:
    """Where a model runs and in which numbers.

    Attributes:
        provider: `portable` uses standard operators alone; `cpu` and `cuda` also those that ONNX
            Runtime adds (`com.microsoft`), as far as the provider has kernels for them.
        precision: of weights and products; `int8` and `int4` are weights alone.
        logits: the positions that a decoder with a cache gives logits of.
    """

    provider: Provider = "portable"
    precision: Precision = "fp32"
    logits: Logits = "last"

    @property
    def fuses(self) -> bool:
        """Whether operators of ONNX Runtime's own may be used."""
        return self.provider != "portable"


PORTABLE: Final = Target()
