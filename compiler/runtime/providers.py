"""What ONNX Runtime's provider for CUDA is told, unless somebody says otherwise."""

from collections.abc import Mapping
from typing import Final

CAPTURES: Final = "enable_cuda_graph"
"""Whether the launches of a run are captured, so that the next one repeats them at once."""
STRICT: Final = "enable_skip_layer_norm_strict_mode"
USUAL: Final[Mapping[str, str]] = {
    # Weights fill most of the memory, once: it need not grow by powers of two.
    "arena_extend_strategy": "kSameAsRequested",
    # Trying every way of a convolution out takes seconds for each new shape.
    "cudnn_conv_algo_search": "HEURISTIC",
}


def usual_options(precision: str) -> dict[str, str]:
    """The options for a model in a precision, as the provider reads them.

    In fp16 the squares of a norm of a sum are added in float32, or large activations would
    overflow; in fp32 products are not rounded to TF32, as in torch.
    """
    more = {"fp16": {STRICT: "1"}, "fp32": {"use_tf32": "0"}}
    return {**USUAL, **more.get(precision, {})}
