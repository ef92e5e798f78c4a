"""The files a command line names: specs and folders of specs to read, a file to write."""

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from compiler.answer import CannotAnswer
from compiler.replacing import check_place, replace_file

SUFFIXES = (".yaml", ".yml")
SKIPPED = ("broken",)
CONFIG = "config.json"
DASH = "\x1f-"  # what `-` is while the parser, which takes it for an option, reads the line


def spec_files(names: Iterable[str]) -> list[str]:
    """The spec files behind names of files and folders, in the order given, folders sorted."""
    found = [path for name in names for path in _expand(name)]
    if not found:
        raise CannotAnswer("no spec given", "name spec files or a folder that holds some")
    return list(dict.fromkeys(found))


def one_spec(name: str) -> str:
    """The one spec a command takes: a file that exists, or `-`."""
    if name and Path(name).is_dir():
        raise CannotAnswer(f"`{name}` is a folder, not a spec", "name one spec file")
    return _expand(name)[0]


def one_side(name: str) -> str:
    """A side of a comparison: what exists, `-`, or a file of a revision, looked up later."""
    if name == DASH:
        return "-"
    path = Path(name)
    return name if "@" in name or path.is_dir() else one_spec(name)


def only_spec(names: Sequence[str]) -> str:
    """The one spec of a command that can take several where it is asked to compare them: a file,
    `-`, or the config.json of a published model's folder."""
    if len(names) > 1:
        raise CannotAnswer(
            f"{len(names)} specs given where one is counted", "several go with `--primitives`"
        )
    if not names or not Path(names[0]).is_dir():
        return one_spec(names[0]) if names else spec_files(names)[0]
    config = Path(names[0], CONFIG)
    if config.is_file():
        return str(config)
    help_ = "name a spec file, or the folder of a published model"
    raise CannotAnswer(f"`{names[0]}` is a folder without a {CONFIG}", help_)


def write_out(text: str, name: str) -> None:
    """Write text to a file, or to stdout where the name is `-`."""
    if is_stdout(name):
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        write_text(text, Path(name))


def check_weights(name: str, words: Sequence[str]) -> None:
    """Raises `CannotAnswer` for weights that are none of these words, and no file or folder."""
    if name not in words and not Path(name).exists():
        known = ", ".join((*words, "a file or a folder"))
        raise CannotAnswer(f"no weights at `{name}`", f"give {known}")


def is_stdout(name: str) -> bool:
    """Whether what is written there goes to stdout."""
    return name in ("-", DASH)


def write_text(text: str, path: Path) -> None:
    """Write text to a file, whole or not at all."""
    replace_file(path, lambda file: file.write(text.encode()))


def check_out(name: str) -> None:
    """Raises `CannotAnswer` where `write_out` could not write: before the work that it is for."""
    if name and not is_stdout(name):
        check_place(Path(name))


def _expand(name: str) -> list[str]:
    if name in ("-", DASH):
        return ["-"]
    path = Path(name)
    if not name:
        raise CannotAnswer("no file ``", "a name is empty")
    if path.is_dir():
        return _walk(path)
    if path.exists():
        return [name]
    raise CannotAnswer(f"no file `{name}`", _near(path))


def _walk(folder: Path) -> list[str]:
    found: list[str] = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(each for each in folders if each not in SKIPPED and each[0] != ".")
        found += [str(Path(root, file)) for file in sorted(files) if file.endswith(SUFFIXES)]
    if not found:
        published = (folder / CONFIG).is_file()
        importing = f"`archc import {folder} -o NAME.yaml` writes that of its {CONFIG}"
        help_ = importing if published else "specs end in .yaml; `broken/` is skipped"
        raise CannotAnswer(f"no spec in `{folder}`", help_)
    return found


def _near(path: Path) -> str:
    """What may be meant: the first part of a path that is not there is called like another."""
    from archspec.source.suggest import nearest

    lacking = next(part for part in (*reversed(path.parents), path) if not part.exists())
    if not lacking.parent.is_dir():
        return ""
    last = lacking == path
    names = sorted(
        each.name
        for each in lacking.parent.iterdir()
        if (last and each.suffix in SUFFIXES) or each.is_dir()
    )
    near = nearest(lacking.name, names)
    return f"did you mean `{lacking.parent / near / path.relative_to(lacking)}`?" if near else ""
