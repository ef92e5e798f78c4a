"""ONNX Runtime's attention for decoders: grouped queries, a cache and their masks in one node."""

from typing import Any, Final

from compiler.ir.rules import Builder
from compiler.ir.size import value
from compiler.ir.target import RUNTIME
from compiler.ops.hidden import hidden

GROUPED: Final = "GroupQueryAttention"
GRAIN: Final = 8
"""What a head's width must be a multiple of."""
TURNING: Final = 16
"""The same where the kernel turns heads by their places, and of the width that it turns."""
WIDEST: Final = 512
"""The widest heads that CUDA's kernel writes into a cache."""
WIDEST_SINK: Final = 256
"""The widest that a kernel of CUDA's with a sink takes: the one that writes all scores has none."""


def refused(b: Builder) -> str:
    """Why the kernel cannot do an attention of `b.q` over what is kept; empty where it can."""
    if not b.target.groups:
        return "CUDA has none in float32"
    width, wide = (value(b.dim(letter)) for letter in "KW")
    if width != wide:
        return f"values are {wide} wide and keys {width}"
    if width % GRAIN:
        return f"heads are {width} wide, no multiple of {GRAIN}"
    if not b.kept("k"):
        return "its bias reads all keys"
    return _refused_by_cuda(b, width) if b.target.provider == "cuda" else ""


def _refused_by_cuda(b: Builder, width: int) -> str:
    widest = WIDEST_SINK if b.has("sink") else WIDEST
    if width > widest:
        return f"CUDA's takes heads up to {widest} wide{' beside a sink' if b.has('sink') else ''}"
    if b.has("sink") and (b.has("bias") or _hides_more(b)):
        return "CUDA adds no bias beside a sink"
    return ""


def turns_inside(width: int, wide: int) -> bool:
    """Whether the kernel can turn the first `width` coordinates of heads that are `wide`."""
    return width % TURNING == 0 and wide % TURNING == 0


def _hides_more(b: Builder) -> bool:
    """Whether the mask hides more than the kernel does by itself."""
    return b.has("seen") and not b.is_plain("seen")


def _bias(b: Builder) -> Any:
    """What is added to the scores, or None."""
    if _hides_more(b):
        return hidden(b, b.bias if b.has("bias") else b.number(0.0))
    return b.bias if b.has("bias") else None


def grouped_query(
    b: Builder, *, scale: float | None, window: int | None, softcap: float | None = None
) -> Any:
    """`com.microsoft.GroupQueryAttention` of `b.q` over kept and new keys and values.

    A query sees what comes no later, of that the latest `window`; what else `b.seen` hides is added
    to the scores, as `b.bias` is. `b.sink` is the score of one more source without a value. A row's
    keys are as many as `b.counts` says, the new ones behind the kept ones. The turns of queries and
    keys, and the parts of one product, are made inside where they can be.
    """
    k, v, counts, bias = b.kept("k"), b.kept("v"), b.counts, _bias(b)
    apart = bias is not None and b.target.provider == "cuda"
    inside = b.inside(b.q, k.new, v.new, turning=not apart)
    options: dict[str, Any] = {
        "num_heads": value(b.dim("H")),
        "kv_num_heads": value(b.dim("G")),
        **inside.options,
    }
    if inside.gain != 1:
        scale = (scale or value(b.dim("K")) ** -0.5) * inside.gain**2
    if scale is not None:
        options["scale"] = scale
    if window is not None:
        options["local_window_size"] = window
    if softcap is not None:
        options["softcap"] = softcap
    given = (*inside.given, k.past, v.past, counts.last, counts.total, *inside.tables)
    return b.op(
        GROUPED,
        *given,
        *(None, bias, b.sink if b.has("sink") else None),
        outputs=3,
        domain=RUNTIME,
        named=(k.present, v.present),
        **options,
    )[0]
