"""The JSON Schema (2020-12) of what ranks keep and send, as `archc cost --parallel --json` says."""

from collections.abc import Container
from dataclasses import fields
from typing import Any, Final, get_args

from compiler.passes.setting import Optimizer, Precision
from compiler.report.parallel.degrees import LEAST, MOST, WAYS, Degrees
from compiler.report.parallel.ranks import COUNTED, FIGURES
from compiler.report.parallel.traffic import Group, Kind

TEXT: Final[dict[str, Any]] = {"type": "string"}
COUNT: Final[dict[str, Any]] = {"type": "integer", "minimum": 0}


def parallel_schema() -> dict[str, Any]:
    """The schema of the part `parallel` of a cost document."""
    degrees = {
        field.name: {
            "type": "integer",
            "description": WAYS[field.name],
            "minimum": LEAST.get(field.name, 1),
            **({"maximum": MOST[field.name]} if field.name in MOST else {}),
        }
        for field in fields(Degrees)
    }
    return _mapping(
        {
            "degrees": _mapping(degrees),
            "devices": COUNT,
            "optimizer": {"enum": list(get_args(Optimizer))},
            "precision": {"enum": list(get_args(Precision))},
            "bubble": _mapping({"numerator": COUNT, "denominator": COUNT}),
            "letters": {
                "type": "object",
                "description": "letters of degrees in the formulas, beside those of the key",
                "additionalProperties": COUNT,
            },
            "assumptions": {"type": "array", "items": TEXT},
            "stages": {"type": "array", "items": _stage()},
        }
    )


def _stage() -> dict[str, Any]:
    transfer = {
        "group": {"enum": list(get_args(Group))},
        "kind": {"enum": list(get_args(Kind))},
        "what": TEXT,
        "bytes": COUNT,
        "formula": TEXT,
    }
    figures = {name: {**COUNT, "description": what} for name, what in FIGURES.items()}
    return _mapping(
        {
            "stage": COUNT,
            "layers": COUNT,
            **figures,
            "formulas": _mapping(dict.fromkeys(FIGURES, TEXT), COUNTED),
            "transfers": {"type": "array", "items": _mapping(transfer)},
        },
        COUNTED,
    )


def _mapping(keys: dict[str, dict[str, Any]], optional: Container[str] = ()) -> dict[str, Any]:
    """A mapping of exactly these keys; those that are optional may be missing."""
    return {
        "type": "object",
        "properties": keys,
        "required": [key for key in keys if key not in optional],
        "additionalProperties": False,
    }
