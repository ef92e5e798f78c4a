"""From a checkpoint to an answer by every route: `python -m tests.bench.against_peers`."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tests.bench.peers import emission, running
from tests.bench.peers.emission import Emissions
from tests.bench.peers.install import missing
from tests.bench.peers.products import KINDS
from tests.bench.peers.verdict import Bar, table

PARTS: Final = ("emission", "int4", "products", "decode", "bert", "vit")
ABOUT: Final = {"bert": "BERT-base at 128", "vit": "ViT-B/16"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table for each part and the bars; 1 where one is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.against_peers")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    sizes = ("125M", "700M")
    parser.add_argument("--sizes", nargs="+", default=sizes, choices=sizes, help="those emitted")
    parser.add_argument("--without", nargs="+", default=(), choices=("mobius", "dynamo"))
    parser.add_argument("--rounds", type=int, default=5, help="emissions by each")
    parser.add_argument("--processes", type=int, default=10, help="in which each model is run")
    parser.add_argument("--repeat", type=int, default=5, help="runs in a process")
    parser.add_argument("--steps", type=int, default=64, help="of a decoder in a run")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where to keep checkpoints and models")
    parser.add_argument("--json", type=Path, help="where to write every single measurement")
    asked = parser.parse_args(arguments)
    if missing():
        print("first: python -m tests.bench.peers.install", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as place:
        bench = Bench(asked, (asked.folder or Path(place)).resolve())
        for part in asked.parts:
            getattr(bench, part)()
            if asked.json:
                asked.json.write_text(json.dumps(bench.single, indent=2) + "\n")
    head = ("bar", "found", "promised", "")
    print(table(head, [bar.row() for bar in bench.bars]))
    return 0 if all(bar.holds for bar in bench.bars) else 1


class Bench:
    """The parts, what each found, and what that is held against."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.sizes, self.rounds = folder, asked.sizes, asked.rounds
        self.effort = running.Effort(
            asked.processes, asked.repeat, asked.steps, asked.threads, asked.without
        )
        self.single: dict[str, Any] = {}
        self.bars: list[Bar] = []

    def emission(self) -> None:
        """Weights in place against everybody's copies."""
        for size in self.sizes:
            found = emission.emission(self.folder, size, "fp32", self.rounds, self.effort.without)
            self._emitted(f"{size} fp32", found)
            self.bars += emission.in_place(size, found)

    def int4(self) -> None:
        """Rounding to int4 at the largest size."""
        size = self.sizes[-1]
        found = emission.emission(self.folder, size, "int4", self.rounds, self.effort.without)
        self._emitted(f"{size} int4", found)
        self.bars += emission.rounded(size, found)

    def products(self) -> None:
        """What the processor allows, of which no bar is made."""
        self.single["products"] = found = running.products(self.effort)
        head = ("products alone, fp32 and times faster", "fp32 ms", *KINDS[1:])
        self._say(table(head, running.bound(found)))

    def decode(self) -> None:
        """The 125M Llama."""
        self.single["decode"] = found = running.decoders(self.folder, self.effort)
        for part in ("decode", "prefill"):
            self._ran(f"{part} at {running.CONTEXT}", running.rows(found, part))
        self.bars += running.decoding(found)

    def bert(self) -> None:
        """BERT-base."""
        self._encoder("bert")

    def vit(self) -> None:
        """ViT-B/16."""
        self._encoder("vit")

    def _encoder(self, name: str) -> None:
        self.single[name] = found = running.encoders(self.folder, name, self.effort)
        self._ran(ABOUT[name], running.rows(found, "forward"))
        self.bars += running.encoding(ABOUT[name], found)

    def _emitted(self, about: str, found: Emissions) -> None:
        self.single[about] = {who: [asdict(each) for each in runs] for who, runs in found.items()}
        head = (f"emission of {about}", "process s", "work alone s", "peak MB")
        self._say(table(head, [emission.row(who, runs) for who, runs in found.items()]))

    def _ran(self, about: str, rows: Sequence[Sequence[str]]) -> None:
        self._say(table((about, "median ms", "best ms", "best fp32 / this"), rows))

    def _say(self, text: str) -> None:
        load = os.getloadavg()[2]
        print(f"{text}\n\nload of the last quarter of an hour: {load:.1f}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
