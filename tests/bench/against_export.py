"""`archc build` of GPT-2 against torch.onnx.export: `python -m tests.bench.against_export`."""

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from tests.bench.process import ARCHC, ROOT, Measured, fresh
from tests.bench.rounds import interleaved, median

FASTER: Final = 5.0
SMALLER: Final = 4.0

Runs = dict[str, list[Measured]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print medians and their ratios; 1 where a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.against_export")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="where to write every single measurement")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=ROOT / ".cache") as folder:
        runs = interleaved(contestants(Path(folder)), asked.rounds)
    if asked.json:
        every = {name: [asdict(each) for each in found] for name, found in runs.items()}
        asked.json.write_text(json.dumps(every, indent=2) + "\n")
    faster, smaller = ratios(runs)
    print(table(runs))
    print(f"faster {faster:.1f} times (bar {FASTER:.0f}), memory 1/{smaller:.1f} (bar 1/4)")
    return 0 if faster >= FASTER and smaller >= SMALLER else 1


def contestants(folder: Path) -> dict[str, Callable[[], Measured]]:
    """Who is measured; each writes its files anew."""
    spec = "specs/decoder/gpt2.yaml"

    def build() -> Measured:
        shutil.rmtree(folder / "ours", ignore_errors=True)
        line = ["build", spec, "--no-verify", "--out", str(folder / "ours")]
        return fresh([str(ARCHC), *line])

    def export() -> Measured:
        shutil.rmtree(folder / "theirs", ignore_errors=True)
        (folder / "theirs").mkdir()
        line = ["-m", "tests.bench.exporter", str(folder / "theirs" / "model.onnx")]
        return fresh([sys.executable, *line], {"PYTHONPATH": str(ROOT)})

    return {"archc build": build, "torch.onnx.export": export}


def ratios(runs: Runs) -> tuple[float, float]:
    """How many times faster we are, and how many times smaller, by medians."""
    ours, theirs = runs.values()
    seconds = [median(found, lambda each: each.seconds) for found in (ours, theirs)]
    memory = [median(found, lambda each: each.peak_bytes) for found in (ours, theirs)]
    return seconds[1] / seconds[0], memory[1] / memory[0]


def table(runs: Runs) -> str:
    """Medians as text, a line a contestant."""
    lines = [
        f"{'median of ' + str(len(next(iter(runs.values())))):<20}   wall s    cpu s  peak MiB"
    ]
    for name, found in runs.items():
        seconds = median(found, lambda each: each.seconds)
        cpu = median(found, lambda each: each.cpu_seconds)
        peak = median(found, lambda each: each.peak_bytes) / (1 << 20)
        lines.append(f"{name:<20} {seconds:>8.2f} {cpu:>8.2f} {peak:>9.0f}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
