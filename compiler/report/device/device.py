"""What is known of a device: its memory and how fast it computes and reads."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Final

from archspec.source.frozen import Frozen

GIB: Final = 2**30
GB: Final = 10**9
TERA: Final = 10**12


class Device(Frozen):
    """A device, by its data sheet, by a file of the user or as it was measured.

    Attributes:
        name: how the command line calls it; `also` are other names.
        title: how people call it.
        memory: bytes.
        bandwidth: bytes a second between its memory and its cores.
        rates: dense FLOP/s of matrix products by precision; `fp32` without tensor cores.
        achieved: the best that such products were measured at.
        link: bytes a second to its neighbours, one way; 0 where that is not known.
        power: watts that the rates were set at; 0 where that is not known.
        source: who says so, and `date`, as of when.
        beware: errors that people copy.
        measured: whether the rates are what a program reached, not what a sheet promises.
        said: how it was asked for.
    """

    name: str
    title: str
    memory: int
    bandwidth: int
    rates: Mapping[str, int]
    achieved: Mapping[str, int] = field(default_factory=dict)
    link: int = 0
    power: int = 0
    also: tuple[str, ...] = ()
    source: str = ""
    date: str = ""
    beware: str = ""
    measured: bool = False
    said: str = field(default="", compare=False)

    def ridge(self, precision: str) -> float:
        """FLOPs a byte from which on computing takes longer than reading (Williams et al. 2009)."""
        return self.rates[precision] / self.bandwidth

    def document(self) -> dict[str, Any]:
        """For a program."""
        return {
            "name": self.name,
            "also": list(self.also),
            "title": self.title,
            "memory_bytes": self.memory,
            "bandwidth_bytes_per_second": self.bandwidth,
            "link_bytes_per_second": self.link,
            "power_watts": self.power,
            "flops_per_second": dict(self.rates),
            "dense": True,
            "achieved_flops_per_second": dict(self.achieved),
            "ridge_flops_per_byte": {name: round(self.ridge(name), 3) for name in self.rates},
            "source": self.source,
            "date": self.date,
            "beware": self.beware,
            "measured": self.measured,
        }


def mfu(flops_per_token: float, tokens_per_second: float, rate: float, chips: int = 1) -> float:
    """Model FLOPs utilisation: what a model asks for, of what its chips can do at `rate` FLOP/s
    each (Chowdhery et al. 2022, appendix B)."""
    return flops_per_token * tokens_per_second / (rate * chips)
