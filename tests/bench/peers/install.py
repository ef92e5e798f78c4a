"""Peers in environments of their own: `python -m tests.bench.peers.install`."""

import subprocess
import sys
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.bench.process import ROOT

PLACE: Final = ROOT / ".cache" / "peers"
PEERS: Final[Mapping[str, Sequence[str]]] = {
    "genai": (
        "onnxruntime-genai==0.18.0",
        "onnxruntime==1.31.1",
        "onnx-ir",
        "torch",
        "transformers",
    ),
    "mobius": ("mobius-onnx==0.1.0", "transformers"),
}
"""What each environment holds, where not said otherwise in the versions of `constraints.txt`."""
DONE: Final = "installed"


def python(peer: str) -> Path:
    """The interpreter of a peer."""
    return PLACE / peer / "bin" / "python"


def install(peer: str) -> None:
    """Make the environment anew; it is marked when all is there."""
    folder = PLACE / peer
    venv.create(folder, clear=True, with_pip=True)
    line = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    constraints = ["-c", str(ROOT / "constraints.txt")]
    subprocess.run([str(python(peer)), *line, *constraints, *PEERS[peer]], check=True)
    (folder / DONE).touch()


def missing() -> list[str]:
    """Peers that are not there."""
    return [peer for peer in PEERS if not (PLACE / peer / DONE).is_file()]


if __name__ == "__main__":
    for name in missing():
        print(f"installing {name}: {', '.join(PEERS[name])}", file=sys.stderr)
        install(name)
