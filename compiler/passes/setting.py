"""What costs depend on besides the model and its lengths: types, kernels, training."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from compiler.ir.target import Target

Precision = Literal["fp32", "bf16", "fp16"]
Kernel = Literal["fused", "eager"]
Recompute = Literal["none", "selective", "full"]
Optimizer = Literal["adamw", "adam8bit", "sgd", "muon"]
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "precision": get_args(Precision),
    "kernel": get_args(Kernel),
    "recompute": get_args(Recompute),
    "optimizer": get_args(Optimizer),
}
"""The fields of a setting, and the words for each."""
BYTES: Final[dict[Precision, int]] = {"fp32": 4, "bf16": 2, "fp16": 2}


@dataclass(frozen=True)
class Setting:
    """How a model is run and trained.

    Attributes:
        precision: the type of weights, activations and caches, or where weights are rounded of all
            else.
        kernel: whether attention is fused or written out product by product.
        recompute: what training forgets in the forward and computes again: nothing, the inside of
            attentions (Korthikanti et al. 2022, "selective"), or all inside each layer.
        optimizer: which states are kept for each trained weight.
        rounded: the target of a build for which weights are rounded to integers; None where they
            are not. Training has none of it.
    """

    precision: Precision = "bf16"
    kernel: Kernel = "fused"
    recompute: Recompute = "none"
    optimizer: Optimizer = "adamw"
    rounded: "Target | None" = None

    @property
    def bytes(self) -> int:
        """The size of an element of the model's type."""
        return BYTES[self.precision]

    @property
    def forgets(self) -> Recompute:
        """What `recompute` comes to: a fused kernel keeps no scores that could be forgotten."""
        fused = self.recompute == "selective" and self.kernel == "fused"
        return "none" if fused else self.recompute

    @property
    def weights(self) -> str:
        """The numbers of weights: a float type, or integers as `--precision` takes them."""
        if self.rounded is None:
            return self.precision
        return ":".join((self.rounded.precision, *self._more))

    @property
    def _more(self) -> tuple[str, ...]:
        every = self.rounded.choices if self.rounded else ()
        return tuple(str(each.integers).partition(":")[2] for each in every)

    def words(self) -> dict[str, str]:
        """The setting by the names of its options; `target` where weights are rounded."""
        said = {name: str(getattr(self, name)) for name in CHOICES}
        if self.rounded is None:
            return said
        return {**said, "precision": self.weights, "target": self.rounded.provider}

    def document(self) -> dict[str, str]:
        """For a program: `precision` is of all that is not rounded, `weights` of what is."""
        said = {name: str(getattr(self, name)) for name in CHOICES}
        if self.rounded is None:
            return said
        return {**said, "weights": self.weights, "target": self.rounded.provider}


USUAL: Final = Setting()
"""What is counted where nothing else is asked for."""
