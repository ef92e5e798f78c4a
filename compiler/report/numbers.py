"""Numbers for people: three significant figures, thin spaces, binary units for memory."""

import re
from decimal import Decimal
from typing import Final

THIN: Final = "\u202f"
"""A narrow space that no line breaks at."""
THOUSANDS: Final = ("", "k", "M", "G", "T", "P", "E", "Z", "Y", "R", "Q")
COUNTS: Final = ("", "k", "M", "B", "T")
BINARY: Final = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB")
SAID: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?(?:([KMGT])(i)?)?B?", re.IGNORECASE)
"""A number of bytes as people write it."""


def grouped(number: int) -> str:
    """All digits, in groups of three: `124 439 808`."""
    return f"{number:,}".replace(",", THIN)


def count(number: int) -> str:
    """A count such as of parameters: `8.03 B`."""
    return _scaled(number, COUNTS, 1000)


def flops(number: int, unit: str = "FLOP") -> str:
    """Operations: `292 GFLOP`, `146 GMAC`."""
    return _scaled(number, tuple(f"{prefix}{unit}" for prefix in THOUSANDS), 1000)


def memory(number: int) -> str:
    """Bytes of memory: `128 KiB`."""
    return _scaled(number, BINARY, 1024)


def bytes_said(text: str) -> int | None:
    """The bytes of `5GB`, `500 MB`, `1.5GiB`, `2G` or a plain number; None where it is none."""
    found = SAID.fullmatch(text.strip())
    if found is None:
        return None
    power = " kmgt".index((found[2] or " ").lower())
    return int(Decimal(found[1]) * (1024 if found[3] else 1000) ** power)


def power_of_ten(number: int) -> str:
    """A large count as a power of ten, in three figures: `6.4e11`; one below a million in full."""
    if number < 10**6:
        return grouped(number)
    exponent = len(str(number)) - 1
    figures = (2 * number + 10 ** (exponent - 2)) // (2 * 10 ** (exponent - 2))
    if figures == 1000:
        figures, exponent = 100, exponent + 1
    return f"{figures // 100}.{figures % 100:02d}".rstrip("0").rstrip(".") + f"e{exponent}"


def in_unit(number: int, unit: str) -> str:
    """A number with the unit of its metric."""
    if unit == "bytes":
        return memory(number)
    return flops(number, unit) if unit in ("FLOP", "MAC") else count(number)


def share(part: int, whole: int) -> str:
    """A part in percent of the whole: `37.2 %`, or `<0.1 %`; empty where it is nothing."""
    if not part or not whole:
        return ""
    tenths = (2000 * part + whole) // (2 * whole)
    if tenths == 0:
        return f"<0.1{THIN}%"
    return f"{tenths // 10}.{tenths % 10}{THIN}%"


def times(large: int, small: int) -> str:
    """How many times as much: `98.5 times`, `4 096 times`."""
    return f"{_three_figures(large, small)}{THIN}times"


def ratio(number: int, of: int) -> str:
    """`number / of` in three figures, such as FLOPs a byte; empty where `of` is nothing."""
    return _three_figures(number, of) if of else ""


def _scaled(number: int, units: tuple[str, ...], base: int) -> str:
    step = 0
    while step + 1 < len(units) and _rounded(number, base**step) >= base:
        step += 1
    return f"{_three_figures(number, base**step)}{THIN}{units[step]}".rstrip(THIN)


def _rounded(number: int, size: int) -> int:
    """What three figures show of `number / size` before its point."""
    whole = number // size
    return (2 * number + size) // (2 * size) if whole >= 100 else whole


def _three_figures(number: int, size: int) -> str:
    """`number / size` in three significant figures, by integers: every machine rounds alike."""
    whole = number // size
    if size == 1 or whole >= 1000:
        return grouped(number) if size == 1 else grouped(_rounded(number, size))
    for decimals, below in ((2, 10), (1, 100), (0, 1024)):
        tens = 10**decimals
        shown = (2 * number * tens + size) // (2 * size)
        if shown < below * tens:
            break
    if decimals == 0:
        return grouped(shown)
    return f"{shown // tens}.{shown % tens:0{decimals}d}"
