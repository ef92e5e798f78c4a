"""What is assumed of a device beside its data sheet: shown apart, and anybody's to set."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from archspec.source.frozen import Frozen
from archspec.source.suggest import listed
from compiler.report.device.device import GIB, Device
from compiler.report.device.named_values import Option, named_values
from compiler.report.numbers import bytes_said, memory

USUAL_EFFICIENCY: Final = 0.8
USUAL_BANDWIDTH: Final = 0.8
USUAL_RESERVE: Final = 4 * GIB
USUAL_OVERHEAD: Final = 5e-6
NUMBER: Final = re.compile(r"(\d{1,12}(?:\.\d{1,9})?) ?([A-Za-zµ%]*)")
TIMES: Final = {"s": 0, "ms": -3, "us": -6, "µs": -6, "ns": -9}


class Assumed(Frozen):
    """What nobody can prove.

    Attributes:
        efficiency: the share of its rate that a device reaches in matrix products.
        bandwidth: the share of its bandwidth that it reaches.
        reserve: bytes of memory that are not the model's.
        overhead: seconds that a kernel takes at least, to be launched and finished.
        why: for each of them where the figure is from.
        said: the text that changed some.
    """

    efficiency: float
    bandwidth: float
    reserve: int
    overhead: float
    why: tuple[tuple[str, str], ...] = ()
    said: str = ""

    def room(self, device: Device) -> int:
        """Bytes of a device's memory that are the model's."""
        return max(device.memory - self.reserve, 0)

    def sentences(self) -> list[str]:
        """One an assumption, each with its reason."""
        said = {
            "efficiency": f"{self.efficiency:.3g} of the rate in matrix products",
            "bandwidth": f"{self.bandwidth:.3g} of the bandwidth",
            "reserve": f"{memory(self.reserve)} of memory kept back",
            "overhead": f"{self.overhead * 1e6:.3g} µs a kernel at least",
        }
        return [f"`{name}`: {said[name]}; {why}." for name, why in self.why]

    def document(self) -> dict[str, Any]:
        """For a program."""
        return {
            "efficiency": self.efficiency,
            "bandwidth": self.bandwidth,
            "reserve_bytes": self.reserve,
            "overhead_seconds": self.overhead,
            "because": dict(self.why),
        }


def assumed(device: Device, precision: str, said: str = "") -> Assumed:
    """The usual assumptions about a device, changed by a text such as `efficiency=0.8`.

    Raises SpecError (AR0953) where the text makes no sense.
    """
    found = _usual(device, precision)
    changed: dict[str, Any] = named_values(ASSUME, said, READ)
    why = tuple((name, "as asked" if name in changed else reason) for name, reason in found.why)
    return replace(found, **changed, why=why, said=said)


def _usual(device: Device, precision: str) -> Assumed:
    if device.measured:
        reached = "what was measured is what is reached"
        efficiency, bandwidth, why, there = 1.0, 1.0, reached, reached
    elif precision in device.achieved:
        efficiency = device.achieved[precision] / device.rates[precision]
        bandwidth, there = USUAL_BANDWIDTH, "usual for kernels that only move data"
        why = "the best that such products were measured at"
    else:
        efficiency, bandwidth = USUAL_EFFICIENCY, USUAL_BANDWIDTH
        why, there = "usual for large products", "usual for kernels that only move data"
    reasons = {
        "efficiency": why,
        "bandwidth": there,
        "reserve": "for the driver, kernels' workspaces, fragments and communication",
        "overhead": "launched one by one, nothing captured in a graph",
    }
    return Assumed(efficiency, bandwidth, USUAL_RESERVE, USUAL_OVERHEAD, tuple(reasons.items()))


def _share(text: str) -> float | None:
    found = NUMBER.fullmatch(text)
    if found is None or found[2] not in ("", "%"):
        return None
    share = Decimal(found[1]) / (100 if found[2] else 1)
    return float(share) if 0 < share <= 1 else None


def _time(text: str) -> float | None:
    found = NUMBER.fullmatch(text)
    if found is None or found[2] not in TIMES:
        return None
    return float(Decimal(found[1]).scaleb(TIMES[found[2]]))


READ: Final[Mapping[str, tuple[Callable[[str], float | None], str]]] = {
    "efficiency": (_share, "is a share above 0 and up to 1"),
    "bandwidth": (_share, "is a share above 0 and up to 1"),
    "reserve": (bytes_said, "is a size such as `2GiB`"),
    "overhead": (_time, "is a time such as `5us`"),
}
ASSUME: Final = Option(
    name="--assume",
    code="AR0953",
    what="assumed",
    there=f"there are {listed(READ, 'and')}",
    example="efficiency=0.8,bandwidth=0.9,reserve=2GiB,overhead=5us",
)
