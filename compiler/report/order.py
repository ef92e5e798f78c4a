"""How fast a figure of a layer grows: `O(N²·D)`, `O(k·N·D²)`, `O(N / r)`."""

from collections.abc import Collection
from fractions import Fraction
from math import log2
from typing import Final

from archspec.source.frozen import Frozen
from compiler.ir.letters import Letters
from compiler.ir.size import Poly, value
from compiler.passes.mixers import LENGTHS, Mixer

LONG: Final = 2**24
"""A length beside which windows and kernels are short."""
WIDTHS: Final = ("width", "head_dim")
TAPS: Final = ("patch",)
POWERS: Final = {1: "", 2: "²", 3: "³"}


class Order(Frozen):
    """The powers of the lengths N, the widths D and the taps k of a filter in a figure that is long
    in N."""

    length: int
    width: int
    taps: int


def order(size: Poly, key: Letters) -> Order:
    """What doubling the lengths, the widths and the taps does, everything else as it is."""
    return Order(*(_power(size, key, roles) for roles in (LENGTHS, WIDTHS, TAPS)))


def length_power(size: Poly, key: Letters) -> int:
    """The power of the lengths alone: 2 for an attention matrix."""
    return _power(size, key, LENGTHS)


def work_order(mixer: Mixer, key: Letters) -> str:
    """Of the FLOPs that mix positions in one layer; r is how far a window looks."""
    found = order(mixer.mixing, key)
    near = ["r"] if mixer.kind == "attention" and mixer.reach.farther is not None else []
    powers = {"k": found.taps, "N": found.length, "D": found.width}
    named = [f"{name}{POWERS.get(power, f'^{power}')}" for name, power in powers.items() if power]
    return f"O({'·'.join([*near, *named]) or '1'})"


def steps_order(mixer: Mixer, key: Letters) -> str:
    """Of the computations that wait for each other."""
    return "O(N)" if order(mixer.steps, key).length else "O(1)"


def hops_order(mixer: Mixer, key: Letters) -> str:
    """Of the longest path between two positions; `none` where some never meet."""
    if mixer.hops is None:
        return "none"
    if not order(mixer.hops, key).length:
        return "O(1)"
    if mixer.reach.stepwise:
        return "O(N)"
    return "O(N / k)" if mixer.kind == "convolution" else "O(N / r)"


def _power(size: Poly, key: Letters, roles: Collection[str]) -> int:
    """The exponent by which the size grows when all letters of some roles double."""
    sizes = {
        name: LONG if known.role in LENGTHS else known.size or 1 for name, known in key.key.items()
    }
    doubled = {name: 2 * size for name, size in sizes.items() if key.key[name].role in roles}
    before, after = value(size, sizes), value(size, {**sizes, **doubled})
    return round(log2(Fraction(after, before))) if before else 0
