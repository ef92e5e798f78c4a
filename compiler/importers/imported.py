"""A published config.json, perhaps with weights beside it, as a spec that a person can read."""

import json
import re
from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

from archspec.source.diagnostic import Diagnostic
from archspec.source.frozen import Frozen
from archspec.source.report import Report
from archspec.source.span import Span
from archspec.source.suggest import nearest
from compiler.importers.checkpoint import Checkpoint, open_checkpoint
from compiler.importers.config.config import Config
from compiler.importers.config.places import places
from compiler.importers.config.tensors import Tensors
from compiler.importers.config.text import spec_text
from compiler.importers.config.written import Written
from compiler.importers.families import known_types
from compiler.importers.families.family import Known

CONFIG = "config.json"
AKIN = 1 / 3
"""The share of words in common above which a model type is called close to another."""
LARGEST = 16 << 20
"""Bytes of a config; those with many labels have a few hundred thousand."""


class Imported(Frozen):
    """The spec of a published model, its family, and what is to be said beside it."""

    spec: Written
    family: str
    warnings: tuple[Diagnostic, ...]

    @property
    def text(self) -> str:
        """The spec's canonical text."""
        return spec_text(self.spec)


def is_config(path: Path) -> bool:
    """Whether a JSON file is a published model's config rather than a spec: it has no graph."""
    try:
        return says_config(path.read_bytes(), path.name)
    except OSError:
        return path.name == CONFIG


def says_config(data: bytes, name: str) -> bool:
    """The same of the bytes of a file called `name`."""
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return name == CONFIG
    return isinstance(said, dict) and "graph" not in said and "extends" not in said


def import_config(path: Path) -> Imported | tuple[Diagnostic, ...]:
    """The spec of the model that a config.json, or the folder that holds it, describes.

    In a folder the weights decide what the config leaves open. Diagnostics are AR0720 to AR0725,
    all of them. Raises OSError where the config cannot be read.
    """
    file = path / CONFIG if path.is_dir() else path
    with file.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    return import_bytes(data, file, _tensors(file.parent))


def import_bytes(
    data: bytes, file: Path, tensors: Tensors | None = None
) -> Imported | tuple[Diagnostic, ...]:
    """The same of the bytes of a config; `tensors` are those that lie beside it."""
    report = Report()
    text = _text(data, file, report)
    said = None if text is None else _mapping(text, file, report)
    if text is None or said is None:
        return tuple(report.diagnostics)
    known = known_types()
    model_type = str(said["model_type"])
    found = known.get(model_type)
    config = Config(
        said,
        places(text, str(file)),
        report,
        defaults=found.type.defaults if found else {},
        tensors=tensors,
        file=str(file),
    )
    config.ignore("model_type", "architectures")
    if found is None:
        _unknown(config, model_type, known)
        return tuple(report.diagnostics)
    _quantised(config)
    parts = found.spec(config)
    config.report_unread()
    errors = tuple(each for each in report.diagnostics if each.severity == "error")
    if errors:
        return errors
    spec = {"name": _name(said, file), "about": found.type.about, **parts, "weights": found.family}
    return Imported(spec, found.family, tuple(report.diagnostics))


def _text(data: bytes, file: Path, report: Report) -> str | None:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        report.error("AR0720", f"`{file.name}` is not a config", _start(file), "not a text file")
        return None
    if len(data) > LARGEST:
        label = f"more than {LARGEST >> 20} MiB"
        report.error("AR0720", f"`{file.name}` is not a config", _start(file), label)
        return None
    return text


def _mapping(text: str, file: Path, report: Report) -> Mapping[str, Any] | None:
    """What the JSON says, or None with AR0720."""
    message = f"`{file.name}` is not a config"
    try:
        said = json.loads(text)
    except json.JSONDecodeError as error:
        place = Span(str(file), error.lineno, error.colno, error.lineno, error.colno + 1)
        said_why = error.msg[:1].lower() + error.msg[1:]
        report.error("AR0720", message, place, f"not valid JSON: {said_why}")
        return None
    except (RecursionError, ValueError):
        report.error("AR0720", message, _start(file), "nested too deeply, or a number too long")
        return None
    if not isinstance(said, dict):
        report.error("AR0720", message, _start(file), "a config is a mapping")
        return None
    if not isinstance(said.get("model_type"), str):
        hint = "configs of transformers have one; `archc import --list` prints those known here"
        report.error("AR0720", message, _start(file), "`model_type` is missing", help=hint)
        return None
    return said


def _quantised(config: Config) -> None:
    """AR0930, a warning: the model is the same, its files are not read."""
    word = "quantization_config"
    said = config.get(word)
    if said:
        kind = said.get("quant_method") if isinstance(said, Mapping) else None
        label = f"files of kind `{kind}` are not read" if kind else "such files are not read"
        config.warn("AR0930", "the weights of this model are quantised", word, label)


def _unknown(config: Config, model_type: str, known: Mapping[str, Known]) -> None:
    """AR0721: a model type that no family has, with what of it one has, or the one nearest to it
    where one is near."""
    parts = {w: p.get("model_type") for w, p in config.said.items() if isinstance(p, Mapping)}
    kinds = {word: kind for word, kind in parts.items() if isinstance(kind, str) and kind in known}
    if kinds:
        inner = " and ".join(f"`{word}` (`{kind}`)" for word, kind in kinds.items())
        config.unknown_type(
            f"it is about several models; {inner} can be imported: put that mapping into a "
            "config.json of its own"
        )
        return
    shares = {name: _shared(config.words(), known[name].type.defaults) for name in known}
    alike = max(known, key=lambda name: shares[name])
    closest = nearest(model_type, known) or (alike if shares[alike] > AKIN else None)
    config.unknown_type(
        f"the closest family here is `{closest}`; import one of its configs and change what "
        "differs, or write the spec by hand"
        if closest
        else "no family here is like it; `archc import --list` prints those there are, and "
        "`archc new NAME` starts a spec by hand"
    )


def _shared(words: Set[str], defaults: Mapping[str, Any]) -> float:
    """The share of words that a config has in common with those of a model type."""
    return len(words & defaults.keys()) / max(len(words | defaults.keys()), 1)


def _tensors(folder: Path) -> Tensors:
    """The tensors beside a config; none where there are none that can be opened."""
    opened = open_checkpoint(folder)
    return Tensors(opened.tensors if isinstance(opened, Checkpoint) else {})


def _name(said: Mapping[str, Any], file: Path) -> str:
    """What the model is called: on the hub, else its folder, else its type."""
    published = said.get("_name_or_path")
    folder = file.absolute().parent.name if file.name == CONFIG else file.stem
    names = (str(published or "").rpartition("/")[2], folder, said["model_type"])
    words = (re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.") for name in names)
    return next((word for word in words if re.match(r"[a-z]", word)), "imported")[:64].rstrip("-.")


def _start(file: Path) -> Span:
    return Span(str(file), 1, 1, 1, 2)
