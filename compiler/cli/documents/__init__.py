"""The schemas that ship: of specs, and of documents that commands print with `--json`."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema of a spec (`spec`), or of a command's answer by its kind."""
    if kind == "spec":
        from archspec.schema import json_schema

        return json_schema()
    found: dict[str, Any] = json.loads((FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8"))
    return found
