"""Specs of published models on their way into the compiler."""

from collections.abc import Sequence
from pathlib import Path

import archspec
from archspec.load import Text
from archspec.model.spec import Spec
from archspec.source.diagnostic import SpecError
from compiler.importers.imported import Imported, import_config, is_config
from compiler.ir.program import Program
from compiler.lower import lower


def spec_of(found: Imported, path: Path, set: Sequence[str] = ()) -> Spec:
    """The spec that `path` was imported as, proved to be one that this version compiles. Raises
    SpecError."""
    spec = archspec.load(_text(found, path), set=set)
    program = lower(spec)
    if not isinstance(program, Program):
        raise SpecError(program)
    return spec


def load(path: str, set: Sequence[str] = ()) -> Spec:
    """The spec in a JSON file, or that of a published config. Raises SpecError, OSError."""
    if not is_config(Path(path)):
        return archspec.load(path, set=set)
    found = import_config(Path(path))
    if isinstance(found, tuple):
        raise SpecError(found)
    return archspec.load(_text(found, Path(path)), set=set)


def _text(found: Imported, path: Path) -> Text:
    """The spec as `archc import` would write it: what is wrong in it is shown there."""
    return Text(found.text, f"{path} as a spec")
