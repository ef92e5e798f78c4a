"""Totals of what decoding keeps between steps."""

from typing import Final

from compiler.ir.size import Poly, as_poly, total
from compiler.passes.cost import Costs
from compiler.passes.metrics.metric import Metric, elements
from compiler.passes.setting import Setting


def _one_position(costs: Costs) -> Poly:
    one = {name: 1 for name in (costs.batch, costs.seen) if name}
    return costs.total("state").at(one)


def _needed(costs: Costs) -> Poly:
    return total(row.needed * row.uses for row in costs.rows)


def _of_source(costs: Costs) -> Poly:
    return costs.source_keys


def of_steps(costs: Costs, setting: Setting) -> Poly:
    """Bytes of keys and values that a step reads and does not make: those in its cache, and those
    of a source that it is given."""
    source = costs.source_keys if costs.keeps_source else as_poly(0)
    return (_needed(costs) + source) * setting.bytes


CACHE: Final[dict[str, Metric]] = {
    "kv_bytes_per_token": Metric(
        "bytes", "keys and values that a decoder keeps of one position", elements(_one_position)
    ),
    "kv_bytes": Metric(
        "bytes",
        "keys and values of all positions that a later one can see: windows and pieces cap them",
        elements(_needed),
    ),
    "kv_held_bytes": Metric(
        "bytes",
        "those that the generated decoders hold: of all seen positions, behind windows too",
        elements(lambda c: c.total("state")),
        tells=lambda costs: _needed(costs) != costs.total("state"),
    ),
    "source_kv_bytes": Metric(
        "bytes",
        "keys and values that attentions over an encoded source make of it, the same at every step",
        elements(_of_source),
        tells=lambda costs: bool(costs.source_keys.terms),
    ),
}
