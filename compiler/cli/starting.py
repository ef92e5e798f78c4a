"""Start a spec: a template with its name put in."""

import os
import re
from pathlib import Path

from compiler.answer import CannotAnswer

TEMPLATES = Path(__file__).parent / "templates"
SCHEMA = Path(__file__).resolve().parents[2] / "archspec" / "archspec.schema.json"
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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(schema_line(path))
            stream.write(template_text(template).replace("name: NAME\n", f"name: {model}\n", 1))
    except FileExistsError:
        raise CannotAnswer(f"`{path}` exists", "choose another name, or remove the file") from None
    except OSError as error:
        raise CannotAnswer(f"cannot write `{path}`: {error.strerror}") from error
    return path


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
    return f"# yaml-language-server: $schema={place.as_posix()}\n"


def template_text(template: str) -> str:
    """A template as shipped, its name still `NAME`."""
    return (TEMPLATES / f"{template}.yaml").read_text(encoding="utf-8")
