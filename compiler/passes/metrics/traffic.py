"""Totals of what operators read from memory and write to it."""

from collections.abc import Callable
from typing import Final

from compiler.ir.size import Poly, total
from compiler.passes.cost import Costs, Row
from compiler.passes.metrics.metric import Metric, decoding
from compiler.passes.setting import Setting


def read_bytes(row: Row, setting: Setting) -> Poly:
    """Bytes that all uses of a row read."""
    plain = row.traffic.read_bytes(setting.bytes, fused=setting.kernel == "fused")
    if setting.rounded is None:
        return plain
    return plain - row.traffic.total("weights") * setting.bytes + weights_bytes(row, setting)


def written_bytes(row: Row, setting: Setting) -> Poly:
    """Bytes that all uses of a row write."""
    return row.traffic.written_bytes(setting.bytes, fused=setting.kernel == "fused")


def weights_bytes(row: Row, setting: Setting) -> Poly:
    """Bytes of the parameters that all uses of a row read."""
    if setting.rounded is None:
        return row.traffic.total("weights") * setting.bytes
    assert row.rounded is not None
    own = row.reads(row.rounded.one_copy(setting.rounded))
    return own + row.traffic.total("table") * row.rounded.of_table(setting.rounded)


Figure = Callable[[Row, Setting], Poly]


def _forward(figure: Figure) -> Callable[[Costs, Setting], Poly]:
    return lambda costs, setting: total(figure(row, setting) for row in costs.rows)


TRAFFIC: Final[dict[str, Metric]] = {
    "read_bytes": Metric(
        "bytes", "what operators read, each by itself: inputs and weights", _forward(read_bytes)
    ),
    "written_bytes": Metric("bytes", "what they write", _forward(written_bytes)),
    "decode_read_bytes": Metric(
        "bytes",
        "what they read for one new position after S - 1 cached ones",
        decoding(read_bytes),
    ),
    "decode_written_bytes": Metric(
        "bytes", "what they write for it, its place in the cache too", decoding(written_bytes)
    ),
    "decode_weights_bytes": Metric(
        "bytes",
        "those of `decode_read_bytes` that are weights: tables by the row, experts at most one for "
        "each choice",
        decoding(weights_bytes),
    ),
}
