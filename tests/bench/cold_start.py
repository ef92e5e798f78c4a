"""What commands of archc take from a fresh process on, in units of what the machine needs for two
imports.

`python -m tests.bench.cold_start --rounds 10` runs each command by turns with the yardstick, so
that both meet the same machine, and prints the least processor time of each, its ratio to the
yardstick's and the peak of resident memory.
"""

import argparse
import sys
from collections.abc import Sequence
from functools import partial

from tests.bench.process import Measured, fresh
from tests.bench.rounds import interleaved

YARDSTICK = (sys.executable, "-c", "import pydantic, cyclopts")
LARGE = {
    "gpt3-175b": "174604259328",
    "deepseek-v3": "671026404352",
    "llama3.1-405b": "405853388800",
}
"""Specs whose costs are to be there at once, with their published parameters."""
LINES = (
    *(f"cost specs/decoder/{name}.yaml" for name in LARGE),
    "check specs/decoder/gpt3-175b.yaml",
    "cost -h",
    "--help",
)


def measured(line: str, rounds: int) -> tuple[Measured, Measured]:
    """The command and the yardstick where they took least."""
    command = (sys.executable, "-m", "compiler.cli", *line.split())
    who = {line: partial(fresh, command), "yardstick": partial(fresh, YARDSTICK)}
    ours, theirs = map(least, interleaved(who, rounds).values())
    return ours, theirs


def least(found: Sequence[Measured]) -> Measured:
    """The run that took least processor time."""
    return min(found, key=lambda each: each.cpu_seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    print(f"{'archc':40}  cpu s  yardstick s  ratio  peak MB")
    for line in LINES:
        ours, theirs = measured(line, rounds)
        ratio = ours.cpu_seconds / theirs.cpu_seconds
        print(
            f"{line:40}  {ours.cpu_seconds:5.2f}  {theirs.cpu_seconds:11.2f}  {ratio:5.2f}"
            f"  {ours.peak_bytes / 1e6:7.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
