"""How long every node takes at least on a device: the longer of computing and moving bytes
(Williams et al. 2009)."""

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Final, Literal

from archspec.source.frozen import Frozen
from compiler.ir.size import Poly, as_poly
from compiler.ops import GroupedLinear
from compiler.passes.cost import Row
from compiler.passes.metrics import exact
from compiler.passes.metrics.cache import of_steps
from compiler.passes.metrics.metric import one_step
from compiler.passes.metrics.traffic import read_bytes, weights_bytes, written_bytes
from compiler.report.costs import CostReport
from compiler.report.device.assumed import Assumed
from compiler.report.device.device import Device, mfu

Bound = Literal["compute", "memory", "overhead"]
BOUNDS: Final[tuple[Bound, ...]] = ("compute", "memory", "overhead")


class Node(Frozen):
    """All uses of one operator on a device.

    Attributes:
        flops: of matrix products; over the pairs that a mask lets through where attention is fused.
        moved: bytes read and written; of experts as many as are expected to be touched.
        kernels: how often something is launched; 0 for what neither computes nor moves.
        floor: seconds at the device's own rate and bandwidth.
        seconds: seconds with what is assumed.
        bound: what that time is made of.
    """

    path: str
    operator: str
    flops: int
    moved: float
    kernels: int
    floor: float
    seconds: float
    bound: Bound

    @property
    def intensity(self) -> float:
        """FLOPs a byte."""
        return self.flops / self.moved if self.moved else 0.0


class Phase(Frozen):
    """One forward on a device: a whole input, or one step of decoding.

    Attributes:
        tokens: positions that it computes, in all rows of the batch; the rows where positions are
            fixed, as an image's are.
        weights: bytes of the weights that it needs, each read once.
        cache: bytes of the keys and values that a step reads.
        device: where it runs, in `precision`.
    """

    name: Literal["prefill", "decode", "forward"]
    nodes: tuple[Node, ...]
    tokens: int
    weights: float
    cache: int
    device: Device
    precision: str

    @cached_property
    def flops(self) -> int:
        """FLOPs of all nodes."""
        return sum(node.flops for node in self.nodes)

    @cached_property
    def moved(self) -> float:
        """Bytes of all nodes."""
        return math.fsum(node.moved for node in self.nodes)

    @property
    def least(self) -> float:
        """Seconds that it takes however operators are joined: all products at the device's rate,
        or weights and cache through its bandwidth, whichever is longer."""
        reading = (self.weights + self.cache) / self.device.bandwidth
        return max(self.flops / self.device.rates[self.precision], reading)

    @cached_property
    def roofline(self) -> float:
        """Seconds at the device's own rate and bandwidth, node after node."""
        return math.fsum(node.floor for node in self.nodes)

    @cached_property
    def seconds(self) -> float:
        """Seconds with what is assumed."""
        return math.fsum(node.seconds for node in self.nodes)

    def share(self, bound: Bound) -> float:
        """The part of the time with assumptions that nodes with this bound take."""
        part = math.fsum(node.seconds for node in self.nodes if node.bound == bound)
        return part / self.seconds if self.seconds else 0.0

    @property
    def bound(self) -> Bound:
        """What takes most of the time."""
        return max(BOUNDS, key=self.share)

    def utilisation(self, seconds: float) -> float:
        """Model FLOPs utilisation if it takes `seconds`."""
        rate = self.device.rates[self.precision]
        return mfu(self.flops / self.tokens, self.tokens / seconds, rate) if seconds else 0.0


def phases(report: CostReport, device: Device, assume: Assumed) -> tuple[Phase, ...]:
    """A forward at the lengths of a report and, where there is a cache, one step of decoding."""
    costs, found = report.costs, []
    batch = report.at.get(costs.batch, 1)
    new = report.at.get(costs.target, 1)
    name: Literal["prefill", "forward"] = "prefill" if costs.seen else "forward"
    found.append(_phase(report, device, assume, name, batch * new, lambda size: size))
    if costs.seen:
        found.append(
            _phase(report, device, assume, "decode", batch, lambda size: one_step(costs, size))
        )
    return tuple(found)


def _phase(
    report: CostReport,
    device: Device,
    assume: Assumed,
    name: Literal["prefill", "decode", "forward"],
    tokens: int,
    cut: Callable[[Poly], Poly],
) -> Phase:
    nodes, weights = [], []
    for row, spared in zip(report.costs.rows, _spared(report, tokens), strict=True):
        if row.once and name == "decode":
            continue
        whole = exact(report.costs, cut(weights_bytes(row, report.setting)), report.at)
        nodes.append(_node(report, device, assume, row, cut, spared * whole))
        weights.append((1 - spared) * whole)
    kept = of_steps(report.costs, report.setting)
    cache = exact(report.costs, kept, report.at) if name == "decode" else 0
    read = math.fsum(weights)
    return Phase(name, tuple(nodes), tokens, read, cache, device, report.precision)


def _node(
    report: CostReport,
    device: Device,
    assume: Assumed,
    row: Row,
    cut: Callable[[Poly], Poly],
    spared: float,
) -> Node:
    def at(size: Poly) -> int:
        return exact(report.costs, cut(size), report.at)

    rate, setting = device.rates[report.precision], report.setting
    flops = at(row.cost.total("visible" if setting.kernel == "fused" else "matmul"))
    moved = at(read_bytes(row, setting)) + at(written_bytes(row, setting)) - spared
    kernels = at(as_poly(row.runs)) if flops or moved else 0
    compute, memory = flops / rate, moved / device.bandwidth
    times: dict[Bound, float] = {
        "compute": compute / assume.efficiency,
        "memory": memory / assume.bandwidth,
        "overhead": kernels * assume.overhead,
    }
    bound = max(BOUNDS, key=lambda each: times[each])
    floor = max(compute, memory)
    return Node(row.path, row.operator, flops, moved, kernels, floor, times[bound], bound)


def _spared(report: CostReport, tokens: int) -> Iterator[float]:
    """For every row the share of its counted weights that is not expected to be read: of experts
    at most one a choice is counted, and several tokens choose some of them twice."""
    key = report.costs.program.key
    for place in report.costs.program.places():
        operator = place.node.what
        if not isinstance(operator, GroupedLinear):
            yield 0.0
            continue
        experts, chosen = (exact(report.costs, key.fix(n), {}) for n in (operator.E, operator.A))
        counted = min(experts, chosen * tokens)
        yield 1 - touched(experts, chosen, tokens) / counted


def touched(experts: int, chosen: int, tokens: int) -> float:
    """Different experts that some of `tokens` are expected to be sent to, E (1 - (1 - A/E)^n): if
    they choose independently of each other and all experts alike."""
    if chosen >= experts:
        return float(experts)
    return -experts * math.expm1(tokens * math.log1p(-chosen / experts))
