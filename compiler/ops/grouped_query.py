"""ONNX Runtime's attention for decoders: grouped queries, a cache and their masks in one node."""

from typing import Any

from compiler.ir.rules import Builder
from compiler.ir.size import value
from compiler.ir.target import RUNTIME


def grouped_query(
    b: Builder, *, scale: float | None, window: int | None, softcap: float | None = None
) -> Any:
    """`com.microsoft.GroupQueryAttention` of `b.q` over kept and new keys and values.

    A query sees what comes no later, of that the latest `window`. `b.bias` is added to the scores,
    `b.sink` is the score of one more source without a value. A row's keys are as many as
    `b.counts` says, the new ones behind the kept ones.
    """
    k, v, counts = b.kept("k"), b.kept("v"), b.counts
    options: dict[str, Any] = {
        "num_heads": value(b.dim("H")),
        "kv_num_heads": value(b.dim("G")),
    }
    if scale is not None:
        options["scale"] = scale
    if window is not None:
        options["local_window_size"] = window
    if softcap is not None:
        options["softcap"] = softcap
    bias, sink = (getattr(b, port) if b.has(port) else None for port in ("bias", "sink"))
    given = (b.q, k.new, v.new, k.past, v.past, counts.last, counts.total)
    return b.op(
        "GroupQueryAttention",
        *given,
        *(None, None, None, bias, sink),
        outputs=3,
        domain=RUNTIME,
        named=(k.present, v.present),
        **options,
    )[0]
