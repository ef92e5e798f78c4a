"""`archc build` of large checkpoints, in place and to int4, and the memory that it takes.

Run as `python -m tests.bench.weights_without_memory`.
Each checkpoint is made here: random numbers for the two smaller ones, for 7B a sparse file of zeros
that takes no room on the disk, or random numbers with `--dense`. A build is a fresh process whose
wall time and peak of resident memory are taken. `own` is what the build itself counts, imports that
it makes on its way included.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

import archspec
from compiler.backends.onnx.listing import Element
from compiler.backends.onnx.words import words_of
from compiler.importers.lazy import Lazy
from compiler.importers.write import header_bytes
from compiler.pipeline.passes import lowered
from compiler.pipeline.reading import shapes_of
from tests.bench.process import ROOT, Measured, fresh
from tests.bench.rounds import median
from tests.bench.shapes import SIZES, Size

SPEC: Final = "specs/decoder/llama3-8b.yaml"


PRECISIONS: Final = ("fp32", "int4", "int8")
STORED: Final = {"F32": Element.float32, "F16": Element.float16, "BF16": Element.bfloat16}


def checkpoint(chosen: Size, path: Path, stored: str = "F32") -> int:
    """Write tensors in our own names, every matrix by itself; returns their bytes."""
    shapes = shapes_of(lowered(archspec.load(ROOT / SPEC, set=chosen.settings)))
    tensors = {n: Lazy(shape, stored, lambda: np.empty(0)) for n, shape in shapes.items()}
    whole = sum(tensor.nbytes for tensor in tensors.values())
    rng = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(header_bytes(tensors))
        if chosen.sparse:
            file.truncate(file.tell() + whole)
            return whole
        for tensor in tensors.values():
            for start in range(0, tensor.size, 1 << 22):
                count = min(1 << 22, tensor.size - start)
                drawn = rng.standard_normal(count, np.float32) * np.float32(0.02)
                file.write(words_of(drawn, STORED[stored]).data)
    return whole


def build(chosen: Size, given: Path, out: Path, precision: str, more: Sequence[str]) -> Measured:
    """One build in a fresh process."""
    shutil.rmtree(out, ignore_errors=True)
    return fresh(
        [sys.executable, "-m", "compiler.cli", *words(chosen, given, out, precision, more)]
    )


def own_seconds(chosen: Size, given: Path, out: Path, precision: str) -> float:
    """What a build counts itself, in one that is not measured from outside."""
    shutil.rmtree(out, ignore_errors=True)
    line = [sys.executable, "-m", "compiler.cli", *words(chosen, given, out, precision)]
    said = subprocess.run(line, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return float(said.split(" built in ")[1].split(" s")[0])


def words(
    chosen: Size, given: Path, out: Path, precision: str, more: Sequence[str] = ()
) -> list[str]:
    """The command line of a build, after `archc`."""
    settings = [word for each in chosen.settings for word in ("--set", each)]
    target = ["--target", "cpu", "--precision", precision, "--emit", "onnx", "--no-verify"]
    return ["build", SPEC, *settings, "--weights", str(given), *target, "--out", str(out), *more]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the median of each size and precision, a line each."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.weights_without_memory")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["125M", "700M"])
    parser.add_argument("--precisions", nargs="+", choices=PRECISIONS, default=["fp32", "int4"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--stored", choices=STORED, default="F32", help="type of the checkpoint")
    parser.add_argument("--dense", action="store_true", help="random numbers in 7B too")
    parser.add_argument("--rounding", help="that of `--precision-map`, such as `int4:symmetric`")
    parser.add_argument("--folder", type=Path, help="where to put the checkpoints and the models")
    parser.add_argument("--json", type=Path, help="where to write the medians")
    asked = parser.parse_args(arguments)
    more = ["--precision-map", f"*={asked.rounding}"] if asked.rounding else []
    found = []
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        for name in asked.sizes:
            chosen, given = SIZES[name], Path(folder, f"{name}.safetensors")
            if asked.dense:
                chosen = replace(chosen, sparse=False)
            held = checkpoint(chosen, given, asked.stored)
            for precision in asked.precisions:
                found.append(_medians(name, held, given, precision, asked.rounds, more))
                print(json.dumps(found[-1]), flush=True)
            given.unlink()
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=2) + "\n")
    return 0


def _medians(
    name: str, held: int, given: Path, precision: str, rounds: int, more: Sequence[str]
) -> dict[str, object]:
    out = given.with_suffix("")
    rest = () if precision == "fp32" else more
    runs = [build(SIZES[name], given, out, precision, rest) for _ in range(rounds)]
    written = sum(
        p.stat().st_size for p in out.rglob("*") if p.stat().st_nlink == 1 and p.is_file()
    )
    own = own_seconds(SIZES[name], given, out, precision)
    shutil.rmtree(out)
    return {
        "size": name,
        "precision": precision,
        "checkpoint_mb": held >> 20,
        "written_mb": written >> 20,
        "seconds": round(median(runs, lambda run: run.seconds), 2),
        "cpu_seconds": round(median(runs, lambda run: run.cpu_seconds), 2),
        "own_seconds": own,
        "peak_mb": round(median(runs, lambda run: run.peak_bytes) / (1 << 20)),
        "rounds": rounds,
    }


if __name__ == "__main__":
    sys.exit(main())
