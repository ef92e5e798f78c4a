"""What a side of a comparison names: a spec, a config.json or a built folder, or a revision."""

import os
from pathlib import Path
from typing import Final

import archspec
from archspec.load import Patches, Reading, finished, read_through
from archspec.model.spec import Spec
from archspec.source.diagnostic import Diagnostic, SpecError
from archspec.source.frozen import Frozen
from compiler.answer import CannotAnswer
from compiler.pipeline.manifest import read_manifest
from compiler.pipeline.revision import SUFFIXES, Revision, revision
from compiler.runtime.published import MANIFEST

CONFIG: Final = "config.json"
MOST: Final = 1 << 25
"""Bytes of a file of a revision; more than any spec or config may have."""


class Side(Frozen):
    """A file, and the revision that it is read at; empty for the working copy."""

    path: str
    revision: str = ""

    def __str__(self) -> str:
        return f"{self.path}@{self.revision}" if self.revision else self.path


def side(name: str) -> Side:
    """`FILE`, or `FILE@REVISION`: a file that is called so as a whole comes first.

    Raises `CannotAnswer` where one of both is empty.
    """
    places = [at for at, letter in enumerate(name) if letter == "@"]
    if not places or os.path.exists(name):
        return Side(name)
    splits = [(name[:at], name[at + 1 :]) for at in places]
    there = [split for split in splits if os.path.exists(split[0])]
    named = [split for split in splits if split[0].endswith(SUFFIXES)]
    path, rev = (*there, *named, *splits)[0]
    if not path or not rev:
        lack = "file before" if not path else "revision behind"
        raise CannotAnswer(f"`{name}` names no {lack} its `@`", "write `specs/tiny.yaml@main`")
    return Side(path, rev)


def spec_of_side(chosen: Side, set: Patches = ()) -> Spec:
    """The spec that a side stands for. Raises SpecError, CannotAnswer."""
    path = Path(chosen.path)
    if chosen.revision:
        found = _at_revision(path, chosen, set)
    elif path.is_dir():
        return _in_folder(path, set)
    elif path.suffix == ".json":
        from compiler.pipeline.imports import load

        return load(chosen.path, list(set))
    else:
        found = archspec.read(chosen.path, set=set)
    if isinstance(found, Spec):
        return found
    raise SpecError(found)


def _at_revision(path: Path, chosen: Side, set: Patches) -> Spec | tuple[Diagnostic, ...]:
    reader = revision(chosen.revision, path)
    try:
        data = reader.read(path, MOST)
    except OSError as error:
        like = reader.like(path)
        hint = f"did you mean `{like}@{chosen.revision}`?" if like else ""
        raise CannotAnswer(f"`{path}` is {error.strerror}", hint) from None
    if path.suffix == ".json":
        return _published(data, path, reader, set)
    return read_through(reader, chosen.path, set=set)


def _published(
    data: bytes, path: Path, reader: Revision, set: Patches
) -> Spec | tuple[Diagnostic, ...]:
    """A config of an earlier revision; weights beside it are not looked at."""
    from compiler.importers.imported import import_bytes, says_config

    if not says_config(data, path.name):
        return read_through(reader, str(path), set=set)
    found = import_bytes(data, Path(reader.shown(str(path))))
    return found if isinstance(found, tuple) else finished(Reading(), found.spec, set)


def _in_folder(folder: Path, set: Patches) -> Spec:
    """The spec that a folder was built from, or that of the config it holds."""
    manifest = read_manifest(folder)
    if manifest is None:
        if (folder / CONFIG).is_file():
            from compiler.pipeline.imports import load

            return load(str(folder / CONFIG), list(set))
        message = f"`{folder}` is a folder without {MANIFEST} or {CONFIG}"
        raise CannotAnswer(message, "name a spec, a config.json or a folder that was built")
    said = manifest.origin.spec
    above = (place / said for place in folder.absolute().parents)
    file = next((path for path in above if path.is_file()), None)
    if file is None:
        raise CannotAnswer(f"`{folder}` was built from `{said}`, which is not there")
    shown = os.path.relpath(file)
    if archspec.load(shown).digest != manifest.origin.spec_sha256:
        raise CannotAnswer(
            f"`{folder}` was built from another text than `{shown}` has now",
            f"build it again, or name a revision: `{shown}@REV`",
        )
    return archspec.load(shown, set=set)
