"""What costs depend on besides the model and its lengths: types, kernels, training."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

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
        precision: the type of weights, activations and caches.
        kernel: whether attention is fused or written out product by product.
        recompute: what training forgets in the forward and computes again: nothing, the inside of
            attentions (Korthikanti et al. 2022, "selective"), or all inside each layer.
        optimizer: which states are kept for each trained weight.
    """

    precision: Precision = "bf16"
    kernel: Kernel = "fused"
    recompute: Recompute = "none"
    optimizer: Optimizer = "adamw"

    @property
    def bytes(self) -> int:
        """The size of an element of the model's type."""
        return BYTES[self.precision]

    @property
    def forgets(self) -> Recompute:
        """What `recompute` comes to: a fused kernel keeps no scores that could be forgotten."""
        fused = self.recompute == "selective" and self.kernel == "fused"
        return "none" if fused else self.recompute


USUAL: Final = Setting()
"""What is counted where nothing else is asked for."""
