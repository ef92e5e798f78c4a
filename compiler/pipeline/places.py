"""Where the outputs of a spec go: text below generated/, binaries below build/."""

import os
import re
from pathlib import Path

from archspec.source.frozen import Frozen

TEXT_ROOT = "generated"
BINARY_ROOT = "build"
SPECS = "specs"


class Places(Frozen):
    """The two output folders of one spec; under `--out` they are one, with one manifest.

    `root` is the `build/` that binaries lie below, None under `--out`.
    """

    text: Path
    binaries: Path
    root: Path | None = None

    @property
    def together(self) -> bool:
        """Whether text and binaries share a folder and must be written as one."""
        return self.text == self.binaries


def places(spec_path: str | Path, out: str | Path | None = None) -> Places:
    """The folders for a spec: what lies between `specs/` and its stem is kept, else the stem alone.

    The roots stand beside the `specs/` folder, or in the working folder outside such a tree;
    `out` replaces both.
    """
    root, parts = _address(Path(spec_path))
    below = Path(*(_safe(part) for part in parts))
    if out is not None:
        return Places(Path(out) / below, Path(out) / below)
    binaries = root / BINARY_ROOT
    return Places(root / TEXT_ROOT / below, binaries / below, binaries)


def spec_name(spec_path: str | Path) -> str:
    """The path as written into outputs: from `specs/` on, else the file's name; always with `/`."""
    path = Path(os.path.abspath(spec_path))
    _, parts = _address(path)
    if SPECS not in path.parent.parts:
        return path.name
    return "/".join((SPECS, *parts[:-1], path.name))


def _address(path: Path) -> tuple[Path, tuple[str, ...]]:
    """The folder that holds `specs/` and the parts from there on, the last one the stem."""
    whole = Path(os.path.abspath(path))
    folders = whole.parent.parts
    stem = path.name.removesuffix(".yaml").removesuffix(".yml")
    if SPECS not in folders:
        return Path(), (stem,)
    at = len(folders) - 1 - folders[::-1].index(SPECS)
    root = Path(*folders[:at])
    return _near(root), (*folders[at + 1 :], stem)


def _near(root: Path) -> Path:
    """Relative to the working folder where it lies below it, so that messages stay short."""
    here = Path.cwd()
    return root.relative_to(here) if root.is_relative_to(here) else root


def _safe(part: str) -> str:
    """One folder name: separators and what a shell or a file system may trip over become `_`."""
    cleaned = re.sub(r"[^\w.+=@ -]", "_", part)
    return cleaned if cleaned.strip(". ") else f"_{cleaned.strip('. ')}"
