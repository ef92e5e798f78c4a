"""What an ONNX model is made for: the runtime's provider and the precision of its numbers."""

from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Final, Literal, TypeAlias, get_args

from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.ir.integers import WIDE, Integers

Provider: TypeAlias = Literal["portable", "cpu", "cuda"]
Precision: TypeAlias = Literal["fp32", "fp16", "bf16", "int8", "int4"]

Logits: TypeAlias = Literal["last", "all"]

PROVIDERS: Final[tuple[str, ...]] = get_args(Provider)
RUNTIME: Final = "com.microsoft"
"""The domain of the operators that ONNX Runtime adds to the standard."""

PRECISIONS: Final[tuple[str, ...]] = get_args(Precision)
LOGITS: Final[tuple[str, ...]] = get_args(Logits)
BITS: Final = {"int8": 8, "int4": 4}
EVERY: Final = "*"
"""The pattern of a choice that is about all matrices, however many a model has."""


class Choice(Frozen):
    """Matrices whose paths fit `pattern` are held as `integers`, or where None as floats."""

    pattern: str
    integers: Integers | None

    def fits(self, path: str) -> bool:
        """Whether it is about the matrix at a path such as `h.0.mlp.down`."""
        return fnmatchcase(path, self.pattern)


class Target(Frozen):
    """Where a model runs and in which numbers.

    Attributes:
        provider: `portable` uses standard operators alone; `cpu` and `cuda` also those that ONNX
            Runtime adds, as far as the provider has kernels for them.
        precision: of weights and products; `int8` and `int4` are weights alone.
        logits: the positions that a decoder with a cache gives logits of.
        choices: precisions of some matrices; the first that fits a path decides.
        whole_columns: whether `int8` rounds the inputs of a product too, with a scale for a column
            of weights: the faster way for what reads a sequence at once.
    """

    provider: Provider = "portable"
    precision: Precision = "fp32"
    logits: Logits = "last"
    choices: tuple[Choice, ...] = ()
    whole_columns: bool = False

    def __post_init__(self) -> None:
        """Raises CannotAnswer for what standard operators cannot say."""
        if not self.fuses and (self.precision != "fp32" or self.choices):
            raise CannotAnswer("portable models are fp32", "take the provider `cpu` or `cuda`")

    @property
    def fuses(self) -> bool:
        """Whether operators of ONNX Runtime's own may be used."""
        return self.provider != "portable"

    @property
    def floats(self) -> Precision:
        """The numbers of what is not held as integers; attention on CUDA wants 16 bits."""
        if self.precision not in BITS:
            return self.precision
        return "bf16" if self.provider == "cuda" else "fp32"

    @property
    def rounds(self) -> bool:
        """Whether any matrix is held as integers."""
        return self.precision in BITS or any(each.integers for each in self.choices)

    @property
    def on_cpu(self) -> "Target":
        """What of it a CPU can run: the same integers, and no floats of 16 bits."""
        if self.provider != "cuda":
            return self
        precision = self.precision if self.precision in BITS else "fp32"
        blocks = (Choice(EVERY, self.integers("")),) if self.precision == "int8" else ()
        return replace(self, provider="cpu", precision=precision, choices=(*self.choices, *blocks))

    @property
    def unproved(self) -> str:
        """What a comparison on a CPU leaves open, in words; empty where it leaves nothing."""
        if self.provider != "cuda":
            return ""
        return f"for cpu in {self.on_cpu.precision}: the model for cuda was not run"

    def suited(self, *, cached: bool) -> "Target":
        """The target for a model that reads a sequence at once, or with a cache bit by bit."""
        return replace(self, whole_columns=self.provider == "cpu" and not cached)

    def integers(self, path: str) -> Integers | None:
        """How the matrix at a path is held; None for floats."""
        for choice in self.choices:
            if choice.fits(path):
                return choice.integers
        bits = BITS.get(self.precision)
        if bits is None:
            return None
        if bits == 4:
            return Integers(bits)
        return Integers(bits, None if self.whole_columns else WIDE, "symmetric")

    @property
    def groups(self) -> bool:
        """Whether there is a kernel of `GroupQueryAttention`: CUDA has none in float32."""
        return self.provider == "cpu" or (self.fuses and self.precision != "fp32")


PORTABLE: Final = Target()
