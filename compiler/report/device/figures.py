"""Times, shares and rates for people, in three significant figures."""

import math

from compiler.report.device.device import GB
from compiler.report.numbers import THIN, grouped


def duration(seconds: float) -> str:
    """A time in three significant figures: `3.94 ms`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size:
            return f"{three(seconds / size)}{THIN}{unit}"
    return f"{three(seconds * 1e9)}{THIN}ns" if seconds else ""


def bandwidth(bytes_per_second: int) -> str:
    """A bandwidth as sheets give it: `3 350 GB/s`."""
    found = bytes_per_second / GB
    return f"{grouped(round(found)) if found >= 100 else three(found)}{THIN}GB/s"


def percent(share: float) -> str:
    """A share in percent: `86.4 %`, or `<0.1 %`."""
    return f"{100 * share:.1f}{THIN}%" if share >= 0.0005 else f"<0.1{THIN}%"


def per(number: float, of: float) -> float:
    """A quotient; without end where `of` is nothing: tokens a second that take no time."""
    return number / of if of else math.inf


def nine(number: float) -> float | None:
    """Nine significant figures, which every machine computes alike; None for what has no end."""
    return float(f"{number:.9g}") if math.isfinite(number) else None


def three(number: float) -> str:
    """Three significant figures; whole numbers in groups; nothing for what has no end."""
    if not math.isfinite(number):
        return ""
    if number >= 999.5:
        digits = len(str(int(number))) - 3
        return grouped(round(number / 10**digits) * 10**digits)
    return f"{number:.3g}"
