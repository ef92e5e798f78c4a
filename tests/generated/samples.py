"""Every spec of the repository, whole and as a small sibling that runs anywhere."""

from functools import cache
from pathlib import Path

import archspec
from compiler.verify.compiled import Compiled, compiled
from compiler.verify.shrink import shrunken

ROOT = Path(__file__).parents[2]
PATHS = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "specs").rglob("*.yaml")
    if "broken" not in path.parts
)
DECODERS = [path for path in PATHS if "decoder/" in path]
DISTINCT = [path for path in PATHS if "\nextends:" not in (ROOT / path).read_text("utf-8")]
"""Without those that only change sizes of another, whose siblings are that one's."""


@cache
def whole(path: str) -> Compiled:
    """A spec at full size."""
    made = compiled(archspec.load(ROOT / path))
    assert isinstance(made, Compiled), made
    return made


@cache
def small(path: str) -> Compiled:
    """The shrunken sibling of a spec."""
    return shrunken(whole(path), lambda more: archspec.read(ROOT / path, set=more)).made
