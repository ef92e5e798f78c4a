"""How rotary pairs turn: the rates theta^(-2i/K) and what makes them fit longer contexts."""

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final

from archspec.source.frozen import Frozen
from compiler.ir.rules import Builder, Writer

TURNS_OF_ONE: Final = 2 * math.pi
NARROWEST: Final = 0.001
"""The width of a ramp between two equal pairs, so that nothing is divided by zero."""

LINEAR: Final = '''
def {name}(device: torch.device) -> Tensor:
    """Radians a place of every pair, all {factor} times slower than they were."""
    return {theta} ** (-torch.arange(0, {K}, 2, device=device) / {K}) / {factor}
'''
PROPORTIONAL: Final = '''
def {name}(device: torch.device) -> Tensor:
    """Radians a place of every pair; those after the first {pairs} stand still."""
    rate = {theta} ** (-torch.arange(0, {K}, 2, device=device) / {K}){slower}
    return rate * (torch.arange({half}, device=device) < {pairs})
'''
LLAMA3: Final = '''
def {name}(device: torch.device) -> Tensor:
    """Radians a place of every pair. Pairs that turn {high} times in {length} places keep
    their rate, those that turn {low} times are {factor} times slower, the others between.
    """
    rate = {theta} ** (-torch.arange(0, {K}, 2, device=device) / {K})
    turns = {length} * rate / (2 * torch.pi)
    kept = ((turns - {low}) / ({high} - {low})).clamp(0, 1)
    return rate * (kept + (1 - kept) / {factor})
'''
YARN: Final = '''
def {name}(device: torch.device) -> Tensor:
    """Radians a place of every pair. Pairs up to {first} keep their rate, pairs from
    {last} on are {factor} times slower, the others between.
    """
    rate = {theta} ** (-torch.arange(0, {K}, 2, device=device) / {K})
    pair = torch.arange({half}, device=device)
    kept = (({last} - pair) / ({last} - {first})).clamp(0, 1)
    return rate * (kept + (1 - kept) / {factor})
'''


def rates(theta: float, width: int) -> list[float]:
    """Su et al. 2021, section 3.2.2: radians by which pair i of `width` coordinates turns a
    place."""
    return [theta ** (-i / width) for i in range(0, width, 2)]


def filled(template: str, w: Writer, theta: float, **put: str) -> str:
    """A function's source with its base, its width `K` and `half` of it put in; its own name
    stays open."""
    base = w.constant("ROPE_BASE", theta)
    return template.format(name="{name}", theta=base, K=w.dim("K"), half=w.half("K"), **put)


class Scaling(Frozen, ABC, abstract=True):
    """Other rates than `rates`, for contexts that are longer than those of training."""

    by_length: ClassVar[bool] = False
    """Whether they depend on how many places there are: then `source` is a function of that number,
    else of a device."""

    @abstractmethod
    def numbers(self, theta: float, width: int) -> list[float]:
        """The rates of all pairs; where they depend on the length, those of a short one."""

    @abstractmethod
    def source(self, w: Writer, theta: float) -> str:
        """A function that returns the rates of all pairs, in float32."""

    def nodes(self, b: Builder, theta: float, width: int, places: Any) -> Any:
        """The rates as an ONNX value; `places` are integers."""
        del places
        return b.floats(self.numbers(theta, width))


class Linear(Scaling):
    """Chen et al. 2023, eq. 4: place t is read as t / factor."""

    factor: float

    def numbers(self, theta: float, width: int) -> list[float]:
        return [rate / self.factor for rate in rates(theta, width)]

    def source(self, w: Writer, theta: float) -> str:
        return filled(LINEAR, w, theta, factor=w.constant("ROPE_FACTOR", self.factor))


class Proportional(Scaling):
    """Gemma 4: of the K/2 pairs of a head the first `pairs` turn and the others do not; exponents
    divide by the whole K."""

    pairs: int
    factor: float = 1.0

    def numbers(self, theta: float, width: int) -> list[float]:
        turning = [rate / self.factor for rate in rates(theta, width)[: self.pairs]]
        return turning + [0.0] * (width // 2 - self.pairs)

    def source(self, w: Writer, theta: float) -> str:
        slower = "" if self.factor == 1 else f" / {w.constant('ROPE_FACTOR', self.factor)}"
        return filled(PROPORTIONAL, w, theta, pairs=str(self.pairs), slower=slower)


class Llama3(Scaling):
    """Grattafiori et al. 2024, as released: slow pairs, those that turn less than
    `low_freq_factor` times within `original` places, are divided by `factor`; fast ones, above
    `high_freq_factor`, are kept; a line joins the two, or a step where they are one (Llama 4)."""

    factor: float
    original: int
    low_freq_factor: float
    high_freq_factor: float

    def numbers(self, theta: float, width: int) -> list[float]:
        return [self._scaled(rate) for rate in rates(theta, width)]

    def _scaled(self, rate: float) -> float:
        turns = self.original * rate / TURNS_OF_ONE
        span = self.high_freq_factor - self.low_freq_factor
        above = turns - self.low_freq_factor
        kept = min(max(above / span, 0.0), 1.0) if span else float(above > 0)
        return rate * (kept + (1 - kept) / self.factor)

    def source(self, w: Writer, theta: float) -> str:
        return filled(
            LLAMA3,
            w,
            theta,
            factor=w.constant("ROPE_FACTOR", self.factor),
            length=w.constant("ROPE_LENGTH", self.original),
            low=w.constant("ROPE_LOW", self.low_freq_factor),
            high=w.constant("ROPE_HIGH", self.high_freq_factor),
        )


class Yarn(Scaling):
    """Peng et al. 2023, eq. 18-20 ("NTK by parts"): pairs that turn more than `beta_fast` times
    within `original` places are kept, those below `beta_slow` divided by `factor`; between the two,
    a line over the number of the pair. `truncate` rounds its ends outwards to whole pairs."""

    factor: float
    original: int
    beta_fast: float
    beta_slow: float
    truncate: bool

    def ends(self, theta: float, width: int) -> tuple[float, float]:
        """The last pair that is kept and the first one that is divided, as real numbers."""
        first, last = (self._pair(b, theta, width) for b in (self.beta_fast, self.beta_slow))
        if self.truncate:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, width - 1)
        return first, last if first != last else last + NARROWEST

    def _pair(self, turns: float, theta: float, width: int) -> float:
        """The pair, as a real number, that turns so often within the original places."""
        return width * math.log(self.original / (turns * TURNS_OF_ONE)) / (2 * math.log(theta))

    def numbers(self, theta: float, width: int) -> list[float]:
        first, last = self.ends(theta, width)
        kept = [min(max((last - i) / (last - first), 0.0), 1.0) for i in range(width // 2)]
        found = zip(rates(theta, width), kept, strict=True)
        return [rate * (keep + (1 - keep) / self.factor) for rate, keep in found]

    def source(self, w: Writer, theta: float) -> str:
        first, last = self.ends(theta, w.fixed("K"))
        return filled(
            YARN,
            w,
            theta,
            factor=w.constant("ROPE_FACTOR", self.factor),
            first=w.constant("ROPE_FIRST", first),
            last=w.constant("ROPE_LAST", last),
        )
