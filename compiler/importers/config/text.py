"""A spec as text: one line where it fits, blocks where a person would write blocks."""

import math
from collections.abc import Mapping
from typing import Any

from archspec.format import WIDTH, format_text, number_like
from archspec.source.scalars import is_plain, quoted

# Keys whose mappings stand in lines of their own, and the mappings that hold such a key.
DEEP = frozenset({"graph", "stack", "layer", "blocks"})


def spec_text(spec: Mapping[str, Any]) -> str:
    """The canonical text of a spec, as `archc fmt` leaves it."""
    return format_text("\n".join(_table(spec, 0)) + "\n")


def _table(value: Mapping[str, Any], indent: int) -> list[str]:
    return [line for key, item in value.items() for line in _entry(str(key), item, indent)]


def _entry(key: str, value: Any, indent: int) -> list[str]:
    head = f"{' ' * indent}{_key(key)}:"
    line = f"{head} {inline(value)}"
    if not isinstance(value, Mapping | list) or not value:
        return [line]
    if len(line) <= WIDTH and not _tall(key, value):
        return [line]
    if isinstance(value, Mapping):
        return [head, *_table(value, indent + 2)]
    return [head, *(f"{' ' * (indent + 2)}- {inline(item)}" for item in value)]


def _tall(key: str, value: Any) -> bool:
    """Whether it is written in a block though one line would hold it."""
    if not isinstance(value, Mapping):
        return False
    return key in DEEP or any(
        str(inner) in DEEP and isinstance(item, Mapping) for inner, item in value.items()
    )


def inline(value: Any) -> str:
    """A value in one line, as YAML 1.2 reads it back."""
    if isinstance(value, Mapping):
        pairs = (f"{_key(str(key))}: {inline(item)}" for key, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    return value if is_plain(value, flow=True) else quoted(value)


def number(value: int | float) -> str:
    """A number as a person writes it: `1e-5`, `0.02`, `500000`."""
    if isinstance(value, int) or not math.isfinite(value):
        return repr(value)
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    mantissa, exponential, exponent = repr(value).partition("e")
    return f"{mantissa}{exponential}{int(exponent)}" if exponential else mantissa


def _key(key: str) -> str:
    return key if is_plain(key, flow=True) or number_like(key) else quoted(key)
