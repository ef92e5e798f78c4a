"""What commands of archc take from a fresh process on, in units of what the machine needs for two
imports.

`python -m tests.bench.cold_start --rounds 10` runs each command by turns with the yardstick, so
that both meet the same machine, and prints the least processor time of each, its ratio to the
yardstick's and the peak of resident memory.
"""

import argparse
import sys

from tests.bench.process import Measured, fresh

YARDSTICK = (sys.executable, "-c", "import pydantic, cyclopts")
LARGE = ("gpt3-175b", "deepseek-v3", "llama3.1-405b")
LINES = (
    *(f"cost specs/decoder/{name}.yaml" for name in LARGE),
    "check specs/decoder/gpt3-175b.yaml",
    "cost -h",
    "--help",
)


def measured(line: str, rounds: int) -> tuple[Measured, Measured]:
    """The command and the yardstick where they took least, after one round that warms up."""
    command = (sys.executable, "-m", "compiler.cli", *line.split())
    pairs = [(fresh(command), fresh(YARDSTICK)) for _ in range(rounds + 1)][1:]
    ours, theirs = zip(*pairs, strict=True)
    return least(ours), least(theirs)


def least(found: tuple[Measured, ...]) -> Measured:
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
