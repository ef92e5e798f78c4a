"""Totals of what operators read from memory and write to it."""

from collections.abc import Callable
from typing import Final

from compiler.ir.size import Poly, as_poly, total
from compiler.passes.cost import Costs, Row
from compiler.passes.metrics.metric import Metric
from compiler.passes.setting import Setting


def read_bytes(row: Row, setting: Setting) -> Poly:
    """Bytes that all uses of a row read."""
    return row.traffic.read_bytes(setting.bytes, fused=setting.kernel == "fused")


def written_bytes(row: Row, setting: Setting) -> Poly:
    """Bytes that all uses of a row write."""
    return row.traffic.written_bytes(setting.bytes, fused=setting.kernel == "fused")


def weights_bytes(row: Row, setting: Setting) -> Poly:
    """Bytes of the parameters that all uses of a row read."""
    return row.traffic.total("weights") * setting.bytes


def one_step(costs: Costs, size: Poly) -> Poly:
    """A formula for one new position after S - 1 seen ones."""
    return size.at({costs.target: 1})


Figure = Callable[[Row, Setting], Poly]


def _forward(figure: Figure) -> Callable[[Costs, Setting], Poly]:
    return lambda costs, setting: total(figure(row, setting) for row in costs.rows)


def _decoding(figure: Figure) -> Callable[[Costs, Setting], Poly]:
    """One step, the source encoded; nothing where there is no cache."""

    def formula(costs: Costs, setting: Setting) -> Poly:
        if not costs.seen:
            return as_poly(0)
        found = total(figure(row, setting) for row in costs.rows if not row.once)
        return one_step(costs, found)

    return formula


TRAFFIC: Final[dict[str, Metric]] = {
    "read_bytes": Metric(
        "bytes", "what operators read, each by itself: inputs and weights", _forward(read_bytes)
    ),
    "written_bytes": Metric("bytes", "what they write", _forward(written_bytes)),
    "decode_read_bytes": Metric(
        "bytes",
        "what they read for one new position after S - 1 cached ones",
        _decoding(read_bytes),
    ),
    "decode_written_bytes": Metric(
        "bytes", "what they write for it, its place in the cache too", _decoding(written_bytes)
    ),
    "decode_weights_bytes": Metric(
        "bytes",
        "those of `decode_read_bytes` that are weights: tables by the row, experts at most one for "
        "each choice",
        _decoding(weights_bytes),
    ),
}
