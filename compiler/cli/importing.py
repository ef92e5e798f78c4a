"""Import a config: read it, prove that its spec compiles, write it whole or not at all."""

from pathlib import Path

from archspec.source.diagnostic import SpecError
from compiler.answer import CannotAnswer
from compiler.cli.sources import DASH
from compiler.cli.starting import write_new
from compiler.cli.tell import diagnostic_document, note, tell, tell_diagnostics, tell_json
from compiler.importers.families import known_types
from compiler.importers.imported import CONFIG, Imported, import_config
from compiler.importers.shards import holds_weights


def print_types(*, as_json: bool) -> int:
    """Every known model type with the family that `weights:` names."""
    types = {kind: known.family for kind, known in known_types().items()}
    if as_json:
        tell_json("import", {"ok": True, "model_types": types})
    else:
        width = max(map(len, types))
        tell("\n".join(f"{kind:<{width}}  {types[kind]}" for kind in sorted(types)))
    return 0


def write_spec(model: str, out: str, *, as_json: bool) -> int:
    """Import `model` and write its spec to `out`. Raises SpecError, CannotAnswer."""
    found = imported(Path(model))
    text = found.text
    if as_json:
        warnings = [diagnostic_document(each) for each in found.warnings]
        document = {"ok": True, "family": found.family, "spec": text, "path": out}
        tell_json("import", {**document, "diagnostics": warnings})
    else:
        tell_diagnostics(found.warnings)
    if out in ("-", DASH):
        if not as_json:
            tell(text)
        return 0
    write_new(Path(out), text)
    if not as_json:
        folder = Path(model) if Path(model).is_dir() else Path(model).parent
        weights = f" --weights {folder}" if _are_weights_read(found, folder) else ""
        note(f"`archc build {out}{weights}` compiles it")
    return 0


def _are_weights_read(found: Imported, folder: Path) -> bool:
    """Whether `archc build` can take the weights of the folder, if it holds any."""
    quantised = any(each.code == "AR0930" for each in found.warnings)
    return holds_weights(folder) and not quantised


def imported(path: Path) -> Imported:
    """The import of a path, proved to be a spec that this version compiles.

    Raises SpecError for what the config says, CannotAnswer where there is none.
    """
    from compiler.pipeline.imports import spec_of

    if not path.exists():
        raise CannotAnswer(f"no file `{path}`", "name a config.json or the folder that holds it")
    if path.is_dir() and not (path / CONFIG).is_file():
        raise CannotAnswer(f"no {CONFIG} in `{path}`", "`archc import` wants one of transformers")
    found = import_config(path)
    if isinstance(found, tuple):
        raise SpecError(found)
    spec_of(found, path)
    return found
