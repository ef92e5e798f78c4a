"""Contestants by turns, and what is typical of each."""

import os
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

Found = TypeVar("Found")


def interleaved(
    who: Mapping[str, Callable[[], Found]], rounds: int, *, warm: bool = True
) -> dict[str, list[Found]]:
    """Everyone by turns, so that a busy minute falls on all; a first round to `warm` is extra."""
    runs: dict[str, list[Found]] = {name: [] for name in who}
    for number in range(0 if warm else 1, rounds + 1):
        for name, run in who.items():
            began = time.perf_counter()
            found = run()
            if number:
                runs[name].append(found)
            note = "" if number else " (warms the page cache, not counted)"
            took, load = time.perf_counter() - began, os.getloadavg()[0]
            print(f"{name}: {took:.2f} s, load {load:.1f}{note}", file=sys.stderr, flush=True)
    return runs


def median(found: Sequence[Found], what: Callable[[Found], float]) -> float:
    """The median of a figure over runs."""
    return statistics.median(what(each) for each in found)
