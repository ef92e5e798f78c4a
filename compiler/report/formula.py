"""Formulas for people: `2·B·D·T·V`, and the same with the numbers put in."""

import re
from collections.abc import Mapping
from typing import Final

from compiler.ir.size import Size, text
from compiler.report.numbers import grouped

POWER: Final = re.compile(r"\*\*(\d+)")
LETTER: Final = re.compile(r"(?<![A-Za-z])[A-Za-z](?![A-Za-z])")
RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def formula(size: Size) -> str:
    """A formula with `·` between factors and powers raised."""
    return POWER.sub(lambda found: found[1].translate(RAISED), text(size, "·")).replace("*", "·")


def with_numbers(size: Size, sizes: Mapping[str, int]) -> str:
    """The formula with every letter that has a size replaced by it."""
    return LETTER.sub(
        lambda found: grouped(sizes[found[0]]) if found[0] in sizes else found[0], formula(size)
    )
