"""A built Llama on a GPU beside torch on it: `python -m tests.bench.on_gpu`."""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from compiler.answer import CannotAnswer
from compiler.ir.target import Target
from compiler.pipeline import build
from compiler.runtime.bench.job import Job, start
from compiler.runtime.cuda import has_cuda_device
from tests.bench.peers.models import run
from tests.bench.peers.verdict import table
from tests.bench.process import ROOT
from tests.bench.rounds import interleaved, median
from tests.bench.shapes import SIZES, Size

SPEC: Final = ROOT / "specs" / "decoder" / "llama3-8b.yaml"
TARGETS: Final = {"cuda": Target("cuda", "bf16"), "cpu": Target("cpu", "fp32")}
Found = Mapping[str, Sequence[Mapping[str, Any]]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print prefill and decode of each, medians over processes; 2 where there is no device."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.on_gpu")
    parser.add_argument("--size", choices=[name for name in SIZES if name != "7B"], default="700M")
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--genai", help="a folder of onnxruntime-genai's builder, of that size")
    parser.add_argument("--json", type=Path, help="where to write every single measurement")
    asked = parser.parse_args(arguments)
    if not has_cuda_device():
        print("there is no CUDA device here", file=sys.stderr)
        return 2
    effort = Job("", 1, asked.context, asked.steps, asked.repeat, 0)
    with tempfile.TemporaryDirectory() as folder:
        who = contestants(Path(folder), SIZES[asked.size], effort, "cuda", asked.genai)
        found = interleaved(who, asked.processes, warm=False)
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        asked.json.write_text(json.dumps(found, indent=2) + "\n")
    print(shown(found))
    return 0


def contestants(
    folder: Path, size: Size, effort: Job, place: str, genai: str | None = None
) -> dict[str, Callable[[], dict[str, Any]]]:
    """Who is timed: the model as built with captured steps and without, torch, and a peer's."""
    target = TARGETS[place]
    build(str(SPEC), set=size.settings, emit=("onnx",), out=str(folder), target=target)
    (out,) = (each.parent for each in folder.rglob("model.onnx"))
    job = {**effort.__dict__, "build": str(out)}
    who: dict[str, Callable[[], dict[str, Any]]] = {"archc": partial(start, Job(**job))}
    if place == "cuda":
        plain = {**job, "options": {"enable_cuda_graph": "0"}}
        who["archc, steps not captured"] = partial(start, Job(**plain))
    if place == "cpu" or _torch_has_cuda():
        dims = size.dims
        cache = (dims["n_layers"], 2, dims["n_kv_heads"], dims["d_model"] // dims["n_heads"])
        about = {"spec": str(SPEC), "settings": size.settings, "cache": cache, "place": place}
        said = {**job, **about, "vocabulary": dims["vocab"], "precision": target.precision}
        who["torch SDPA"] = partial(_torch, json.dumps(said))
    else:
        print("torch is left out: the one here has no CUDA", file=sys.stderr)
    if genai is not None:
        if not Path(genai).is_dir():
            raise CannotAnswer(f"there is no folder `{genai}`")
        who["genai builder"] = partial(start, Job(**{**job, "build": genai}))
    return who


def _torch_has_cuda() -> bool:
    import torch

    return torch.cuda.is_available()


def _torch(said: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("tests.bench.peers.generated", said=said))
    return found


def shown(found: Found) -> str:
    """A line for each: milliseconds of a prefill and of a step, and both against the first's."""
    rows = []
    first = {part: _typical(next(iter(found.values())), part) for part in ("prefill", "decode")}
    for name, runs in found.items():
        times = {part: _typical(runs, part) for part in first}
        cells = [f"{1e3 * times[part]:.3f}" for part in first]
        against = [f"{times[part] / first[part]:.2f}" for part in first]
        rows.append((name, *cells, *against))
    return table(("who", "prefill ms", "step ms", "prefill times", "step times"), rows)


def _typical(runs: Sequence[Mapping[str, Any]], part: str) -> float:
    return median(runs, lambda each: float(each[part]["p50_seconds"]))


if __name__ == "__main__":
    sys.exit(main())
