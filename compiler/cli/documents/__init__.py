"""The schemas that ship: of specs, and of documents that commands print with `--json`."""

import json
from pathlib import Path
from typing import Any

from archspec.source.suggest import did_you_mean, listed
from compiler.answer import CannotAnswer

FOLDER = Path(__file__).parent


def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema of a spec (`spec`), or of a command's answer by its kind.

    Raises CannotAnswer where there is none.
    """
    if kind == "spec":
        from archspec.schema import json_schema

        return json_schema()
    if kind not in kinds():
        known = ("spec", *kinds())
        hint = did_you_mean(kind, known) or f"there are {listed(known, 'and')}"
        raise CannotAnswer(f"no document is of the kind `{kind}`", hint)
    found: dict[str, Any] = json.loads((FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8"))
    return found


def kinds() -> tuple[str, ...]:
    """The kinds of documents, sorted."""
    return tuple(sorted(path.name.partition(".")[0] for path in FOLDER.glob("*.schema.json")))
