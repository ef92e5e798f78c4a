"""Start a spec: a template or a released model, with its name put in."""

import os
import re
from pathlib import Path

from archspec.format import SCHEMA_LINE
from archspec.merged import merged
from archspec.source.suggest import did_you_mean
from compiler.answer import CannotAnswer
from compiler.cli.presets import presets
from compiler.importers.config.text import spec_text

TEMPLATES = Path(__file__).parent / "templates"
SCHEMA = Path(__file__).resolve().parents[2] / "archspec" / "archspec.schema.json"
WORKFLOW = Path(".github/workflows/specs.yml")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}")


def start(name: str, template: str) -> Path:
    """Write a new spec and return its path; raises `CannotAnswer` where a file is in the way."""
    path = Path(name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    model = path.name.removesuffix(".yaml").removesuffix(".yml")
    if not NAME.fullmatch(model):
        raise CannotAnswer(
            f"`{model}` cannot name a model",
            "use letters, digits, `.`, `_` and `-`, a letter first",
        )
    write_new(path, started(template, model))
    return path


def write_new(path: Path, text: str) -> None:
    """Write a spec, its schema named in place of the published one.

    Raises `CannotAnswer` where a file is in the way.
    """
    first, _, rest = text.partition("\n")
    _write(path, schema_line(path) + (rest if first.startswith(SCHEMA_LINE) else text))


def start_workflow() -> Path:
    """Write the workflow for GitHub and return its path; raises `CannotAnswer` where one is in the
    way."""
    _write(WORKFLOW, (TEMPLATES / "workflow.yml").read_text(encoding="utf-8"))
    return WORKFLOW


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
    except FileExistsError:
        raise CannotAnswer(f"`{path}` exists", "choose another name, or remove the file") from None
    except OSError as error:
        raise CannotAnswer(f"cannot write `{path}`: {error.strerror}") from error


def schema_line(spec: Path) -> str:
    """The line that tells editors where the schema is.

    A schema that the spec's project keeps is named from the spec, so that the line holds on every
    machine; else it is the installed one, by its whole path.
    """
    folders = spec.absolute().parents
    names = (SCHEMA.name, f"archspec/{SCHEMA.name}")
    kept = (folder / name for folder in folders for name in names)
    found = next((path for path in kept if path.is_file()), None)
    place = SCHEMA if found is None else Path(os.path.relpath(found, folders[0]))
    return f"{SCHEMA_LINE}{place.as_posix()}\n"


def started(template: str, model: str) -> str:
    """The text of a new spec: a template's, or a released model's with what it extends.

    Raises `CannotAnswer` where there is neither.
    """
    if template in templates():
        return template_text(template).replace("name: NAME\n", f"name: {model}\n", 1)
    if template in presets():
        return spec_text({**merged(presets()[template]), "name": model})
    near = did_you_mean(template, (*templates(), *presets()))
    hint = near or f"templates are {', '.join(templates())}"
    raise CannotAnswer(f"nothing to start from is called `{template}`", hint)


def origins() -> dict[str, str]:
    """Templates and released models, each with a sentence about it."""
    commented = {word: template_text(word).splitlines()[0].lstrip("# ") for word in templates()}
    about = {word: str(merged(path)["about"]).split(": ")[0] for word, path in presets().items()}
    return {**commented, **{word: f"{text.rstrip('.')}." for word, text in about.items()}}


def templates() -> list[str]:
    """The names of the commented templates."""
    return sorted(path.stem for path in TEMPLATES.glob("*.yaml"))


def template_text(template: str) -> str:
    """A template as shipped, its name still `NAME`."""
    return (TEMPLATES / f"{template}.yaml").read_text(encoding="utf-8")
