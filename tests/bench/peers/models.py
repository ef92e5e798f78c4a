"""The checkpoints that everybody is given, with a spec beside each, and what is made of them."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.bench.peers.install import python
from tests.bench.process import ROOT, Measured, surroundings, told
from tests.bench.shapes import SIZES, TINY

KINDS: Final[Mapping[str, tuple[str, Mapping[str, int]]]] = {
    "tiny": ("llama", TINY.dims),
    **{name: ("llama", SIZES[name].dims) for name in ("125M", "700M")},
    "bert": ("bert", {}),
    "vit": ("vit", {}),
}
"""Each by its name in a folder: transformers' word for it, and its sizes where not the usual."""
QUIET: Final = {"PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}


def checkpoint(folder: Path, name: str) -> Path:
    """Random weights as transformers publishes them, and their spec as `archc import` reads it."""
    given, (kind, dims) = folder / name, KINDS[name]
    if not given.with_suffix(".yaml").exists():
        run("tests.bench.peers.checkpoint", kind, str(given), json.dumps(dims))
        run("compiler.cli", "import", str(given), "-o", str(given.with_suffix(".yaml")))
    return given


def run(module: str, *words: str, said: str = "") -> str:
    """What a module of ours or of the tests answers on stdout."""
    done = subprocess.run(
        [sys.executable, "-m", module, *words],
        cwd=ROOT,
        env=surroundings(QUIET),
        input=said,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        about = f"{module} {' '.join(words)} ended with {done.returncode}"
        raise RuntimeError(f"{about}: {done.stderr[-2000:]}")
    return done.stdout


def emit(
    route: str, given: Path, out: Path, precision: str = "fp32", after: Path | None = None
) -> tuple[Measured, dict[str, Any]]:
    """Emit by one route in its own interpreter; `after` another checkpoint, the work alone."""
    own = {"genai": python("genai"), "mobius": python("mobius")}.get(route, Path(sys.executable))
    script = Path(__file__).with_name("emit.py")
    line = [str(own), str(script), route, str(given), str(out), precision]
    return told([*line, *(["--after", str(after)] if after else [])], QUIET)


def folder_of(model: Path) -> Path:
    """The folder with `model.onnx`, somewhere under what a route wrote."""
    (found,) = model.glob("**/model.onnx")
    return found.parent
